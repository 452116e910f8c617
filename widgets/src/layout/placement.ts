/** Graphviz's `json0` output → positions, in px with y downwards. Runs in the worker, so that no large JSON reaches the page. */

/** A point in px. */
export type Point = readonly [number, number];

/** A rectangle: left, top, width, height in px. */
export type Rect = readonly [number, number, number, number];

/** Where everything lies. Lists follow the numbers of the DOT text; an edge is its points: start, then Bézier triples. */
export interface Placement {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Point[];
  readonly edges: readonly (readonly Point[])[];
  readonly labels: readonly (Point | null)[];
  readonly clusters: readonly Rect[];
}

interface Item {
  readonly name?: string;
  readonly class?: string;
  readonly pos?: string;
  readonly lp?: string;
  readonly bb?: string;
}

/** Read the positions out of Graphviz's answer. */
export function readPlacement(json: string): Placement {
  const data = JSON.parse(json) as Item & { objects?: Item[]; edges?: Item[] };
  const [, , width = 0, height = 0] = numbers(data.bb ?? '');
  const boxes: Point[] = [];
  const clusters: Rect[] = [];
  for (const item of data.objects ?? []) {
    const [, kind, index] = /^(b|cluster_)(\d+)$/.exec(item.name ?? '') ?? [];
    if (kind === 'b') {
      boxes[Number(index)] = point(item.pos ?? '0,0');
    } else if (kind === 'cluster_') {
      const [left = 0, bottom = 0, right = 0, top = 0] = numbers(item.bb ?? '');
      clusters[Number(index)] = [left, height - top, right - left, top - bottom];
    }
  }
  const edges: Point[][] = [];
  const labels: (Point | null)[] = [];
  for (const item of data.edges ?? []) {
    if (item.class === undefined) {
      continue; // is not drawn: it keeps one box above another
    }
    const index = Number(item.class);
    edges[index] = spline(item.pos ?? '');
    labels[index] = item.lp === undefined ? null : point(item.lp);
  }
  return { width, height, boxes, edges, labels, clusters };

  function point(text: string): Point {
    const [x = 0, y = 0] = numbers(text);
    return [x, height - y];
  }

  /** `e,ex,ey x,y x,y …`: the end, if given, is where the arrow's tip would be. */
  function spline(text: string): Point[] {
    return text
      .split(' ')
      .filter(part => part !== '' && !/^[es],/.test(part))
      .map(point);
  }
}

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}
