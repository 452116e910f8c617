/** One graph as a drawing: which of its groups are expanded, laid out in a worker, put on the stage. */

import { counted } from '../../format';
import {
  ancestors,
  colouringOf,
  DotText,
  everyGraph,
  expandAll,
  Facts,
  FIRST_LOOK,
  firstExpanded,
  factsOf,
  Folded,
  foldSteps,
  Fonts,
  Group,
  groupsById,
  growGroups,
  hasOpenBodies,
  LayoutEngine,
  LegendEntry,
  lessExpanded,
  Look,
  NO_FACTS,
  notesOf,
  paint,
  Placement,
  regrouped,
  Scene,
  standInsOf,
  Slices,
  TextMeasure,
  toDot,
  toggle,
  toScene,
  whenDone,
  withBodies
} from '../../layout';
import { Graph, GraphNode } from '../../protocol';
import { edgeText } from './details/edge_detail';
import { pairedWith } from './paired';
import { Hit, Stage } from './stage';
import { Anchor, stillBox } from './still';
import { Transform } from './viewport';
import { Works } from './works';
import { t } from '../../words';

const FONTS: Fonts = {
  title: '600 12px system-ui, -apple-system, "Segoe UI", sans-serif',
  detail: '11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
};

/** Down to this scale all that was expanded at once is seen. */
const OVERVIEW = 0.2;

/** The messages of a drawing to its view. */
export interface DrawingEvents {
  /** The part of a scene that is drawn; all of it, where this is not given. */
  part?(scene: Scene): Scene;
  /** The groups of a graph are known. */
  grouped?(): void;
  clicked(hit: Hit): void;
  /** A layout was put on the stage; the legend explains its colours. */
  placed(legend: readonly LegendEntry[]): void;
  /** The drawing was panned or zoomed. */
  moved?(transform: Transform): void;
}

/** Draws one graph at a time. */
export class Drawing {
  /** The fonts of all drawings. */
  static readonly fonts = FONTS;

  constructor(
    private readonly _engine: LayoutEngine,
    private readonly _events: DrawingEvents
  ) {
    this.stage = new Stage(FONTS, hit => _events.clicked(hit), transform => _events.moved?.(transform), {
      edge: edge => edgeText(this, edge),
      paired: id => pairedWith(this, id)
    });
    this._resize = new ResizeObserver(() => this._fitAnew());
    this._resize.observe(this.stage.element);
  }

  readonly stage: Stage;

  /** Load Graphviz: a graph will come soon. */
  warm(): void {
    this._engine.warm();
  }

  /** A line above the drawing, hidden while there is nothing to say. */
  get notice(): HTMLElement {
    return this._works.notice;
  }

  /** The graph that is drawn, or will be as soon as it is laid out. */
  get graph(): Graph | null {
    return this._graph;
  }

  /** The graph's group tree. */
  get root(): Group | null {
    return this._root;
  }

  /** The groups that can be expanded, by id. */
  get groups(): ReadonlyMap<string, Group> {
    return this._groups;
  }

  /** The present drawing. */
  get folded(): Folded | null {
    return this._folded;
  }

  /** A node and the graph or body that it is in. */
  find(nodeId: string): { node: GraphNode; graph: Graph } | null {
    for (const { graph } of this._graph ? everyGraph(this._graph) : []) {
      const node = graph.nodes.find(({ id }) => id === nodeId);
      if (node) {
        return { node, graph };
      }
    }
    return null;
  }

  /** Draw a graph or nothing; its groups expanded as they were left, or as far as that is clear. */
  show(graph: Graph | null, expanded?: ReadonlySet<string>, look: Look = FIRST_LOOK): void {
    this._given = graph;
    this._graph = graph && withBodies(graph);
    this._facts = this._graph ? factsOf(this._graph) : NO_FACTS;
    this._look = look;
    this._works.say(null); // the line was about another graph
    void this._group(expanded);
    if (!this._graph) {
      this._works.cancel();
      this._slices.cancel();
      this._engine.cancel();
      this.stage.show(null);
    }
  }

  /** Draw the same picture of a graph whose nodes stand in other lines; what is open and in sight stays so. */
  renew(graph: Graph): Promise<void> {
    if (graph === this._given) {
      return Promise.resolve();
    }
    this._given = graph;
    this._graph = withBodies(graph);
    return this._group(this._look.by === 'line' ? undefined : this._expanded, this._look.by === 'line');
  }

  /** How the graph is drawn. */
  get look(): Look {
    return this._look;
  }

  /** The facts about the nodes. */
  get facts(): Facts {
    return this._facts;
  }

  /** Draw in another way. Groups stay open where they are the same ones. */
  restructure(look: Look): Promise<void> {
    const groups = look.fold !== this._look.fold || look.by !== this._look.by;
    this._refit ||= look.direction !== this._look.direction;
    this._look = look;
    return groups ? this._group() : this._lay(null);
  }

  /** More is known of the nodes. */
  learn(facts: Partial<Facts>): Promise<void> {
    this._facts = { ...this._facts, ...facts };
    return facts.kernels && this._look.by === 'kernel' ? this._group() : this._lay(null);
  }

  /** Make the groups, open as they were left or as far as that is clear, and draw. */
  private _group(expanded?: ReadonlySet<string>, refit = true): Promise<void> {
    const { _graph: graph, _look: look } = this;
    this._root = null; // nothing opens or closes meanwhile
    this._groups = new Map();
    if (!graph) {
      return Promise.resolve();
    }
    return this._works.run(check => {
      const steps = growGroups(regrouped(graph, look.by, this._facts.kernels), look);
      return whenDone(this._slices.run(steps), root => {
        this._root = root;
        this._groups = groupsById(root);
        this._least = undefined;
        this._expanded = expanded ?? firstExpanded(root);
        this._refit ||= refit;
        this._events.grouped?.();
        return this._draw(graph, root, null, check, expanded === undefined);
      });
    });
  }

  /** Whether the drawing is of the graph, and not yet of the one before it. */
  get isPlaced(): boolean {
    return this._placed !== null && this._placed === this._graph;
  }

  /** The ids of the expanded groups. */
  get expanded(): ReadonlySet<string> {
    return this._expanded;
  }

  /** Whether a value is drawn as chips where it is used. */
  isChip(value: string): boolean {
    return this._folded?.boxes.some(({ id, node }) => node?.id === value && id !== value) ?? false;
  }

  isExpanded(groupId: string): boolean {
    return this._expanded.has(groupId);
  }

  /** A box itself where it is a group, else the innermost group around it. */
  groupAround(box: string | null): string | null {
    if (box === null || !this._root || this._groups.has(box)) {
      return this._root && box;
    }
    return ancestors(this._root, box).pop() ?? null;
  }

  /** Expand or collapse a group; the clicked box stays where it is. */
  toggle(groupId: string): Promise<void> {
    if (!this._root) {
      return Promise.resolve();
    }
    const rect = this.stage.rectOf(groupId);
    this._expanded = toggle(this._root, this._expanded, groupId);
    return this._lay(rect && { id: groupId, rect });
  }

  /** Expand the groups around a node; null where they already are. A branch or loop shows also while it is closed. */
  open(nodeId: string): Promise<void> | null {
    const drawn = this._root ? (standInsOf(this._root).nodes.get(nodeId) ?? nodeId) : nodeId;
    const around = this._root ? ancestors(this._root, drawn) : [];
    const closed = around.filter(id => !this._expanded.has(id) && this._groups.get(id)?.node?.id !== nodeId);
    if (closed.length === 0) {
      return null;
    }
    this._expanded = new Set([...this._expanded, ...closed]);
    return this._lay(null);
  }

  expandAll(): void {
    if (!this._root) {
      return;
    }
    const { expanded, left } = expandAll(this._root);
    this._expand(expanded);
    if (left > 0) {
      this._works.say(t`Too large to show at once: ${counted(left, 'group')} closed. Open them one by one.`, 6000);
    }
  }

  collapseAll(): void {
    this._expand(new Set());
  }

  dispose(): void {
    this._works.dispose();
    this._resize.disconnect();
    this._slices.cancel();
    this._engine.dispose();
    this.stage.dispose();
  }

  private _expand(expanded: ReadonlySet<string>): void {
    this._least = OVERVIEW;
    this._expanded = expanded;
    this._refit = true;
    void this._lay(null);
  }

  private _lay(anchor: Anchor | null): Promise<void> {
    const { _graph: graph, _root: root } = this;
    return graph && root ? this._works.run(check => this._draw(graph, root, anchor, check)) : Promise.resolve();
  }

  /**
   * Fold, lay out, and put on the stage; `check` throws where that is no longer wanted. A `first` picture that is too wide to be read
   * opens less, one with open branches and loops sooner.
   */
  private _draw(graph: Graph, root: Group, anchor: Anchor | null, check: () => void, first = false): Promise<void> {
    const notes = notesOf(root, colouringOf(this._look.colour), this._facts);
    const steps = foldSteps(graph, root, this._expanded, this._look, notes);
    return whenDone(this._slices.run(steps), async folded => {
      const text = toDot(folded, this._measure, this._look.direction);
      const placement = await this._engine.layout(text.dot, text.dot);
      check();
      const isCut = first && this.stage.isCut(placement, this._look.direction, hasOpenBodies(root, this._expanded));
      const less = isCut ? lessExpanded(root, this._expanded) : null;
      if (less) {
        this._expanded = less;
        return this._draw(graph, root, anchor, check, first);
      }
      this._place(folded, text, placement, anchor);
    });
  }

  private _place(folded: Folded, text: DotText, placement: Placement, anchor: Anchor | null): void {
    const colouring = colouringOf(this._look.colour);
    const { colours, legend } = paint(folded, this._root as Group, colouring, this._facts);
    this._folded = folded;
    const isSame = this._placed === this._graph;
    this._placed = this._graph;
    this.stage.colour(colouring.name === FIRST_LOOK.colour ? null : colours);
    const scene = toScene(folded, text, placement, this._look.direction);
    const untouched = !anchor && this._fit !== null && this.stage.viewport.transform === this._fit;
    const still = anchor ?? (isSame ? stillBox(this.stage, scene) : null);
    this.stage.show(this._events.part?.(scene) ?? scene);
    const now = still && this.stage.rectOf(still.id);
    if (this._refit || untouched) {
      // Only now: until its layout is there, the stage has the graph before, which is not to be fitted in this one's place.
      this._refit = false;
      this._fitted = false;
      this._fitWhenSeen();
    } else if (still && now) {
      // What was clicked, or looked at, stays where it was on the screen.
      const { scale } = this.stage.viewport.transform;
      const dx = (still.rect[0] + still.rect[2] / 2 - now[0] - now[2] / 2) * scale;
      const dy = (still.rect[1] - now[1]) * scale;
      this.stage.viewport.pan(dx, dy);
    } else if (!this._fitted) {
      this._fitWhenSeen();
    }
    this._events.placed(legend);
  }

  /** Fit once the stage has a size: a panel may be filled while it is hidden. */
  private _fitWhenSeen(): void {
    if (!this._fitted && this.stage.scene && this.stage.element.clientWidth > 0) {
      this._fitted = true;
      this.stage.fit(this._least);
      this._fit = this.stage.viewport.transform;
    }
  }

  /** The stage has another size: a drawing that the user has not moved since it was fitted is fitted anew. */
  private _fitAnew(): void {
    this._fitted &&= this.stage.viewport.transform !== this._fit;
    this._fitWhenSeen();
  }

  private _measure = new TextMeasure(FONTS);
  private _resize: ResizeObserver;
  private _given: Graph | null = null;
  private _graph: Graph | null = null;
  private _look: Look = FIRST_LOOK;
  private _facts: Facts = NO_FACTS;
  private readonly _slices = new Slices();
  private readonly _works = new Works();
  private _root: Group | null = null;
  private _groups: ReadonlyMap<string, Group> = new Map();
  private _expanded: ReadonlySet<string> = new Set();
  private _folded: Folded | null = null;
  private _placed: Graph | null = null;
  private _fitted = false;
  private _fit: Transform | null = null;
  private _refit = false;
  private _least: number | undefined;
}
