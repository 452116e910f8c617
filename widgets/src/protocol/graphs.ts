/** Untrusted JSON → graphs, whole ones and the parts in which they are pushed. */

import { asDimension, asLocation, Dimension, Location } from './records';
import { Flow, Graph, GraphNode, GraphPart } from './types';
import { asFields, asList, asNumber, asRecord, asText, attempt, fail, Fields, orElse, orNull } from './reading';

/** The attributes and bodies of most nodes. */
const NONE: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);

function isNone(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function asNode(value: unknown): GraphNode {
  const data = asFields(value);
  const kind = typeof data.kind === 'string' ? data.kind : 'array';
  const type = { dtype: orNull(data.dtype, asText), shape: orNull(data.shape, asShape), kind };
  const place = {
    file: orNull(data.file, asText),
    line: orNull(data.line, asNumber),
    cell: orNull(data.cell, asText),
    cell_number: orNull(data.cell_number, asNumber)
  };
  return nodeOf(data, type, typeof data.scope === 'string' ? data.scope : '', place);
}

/** A node, from its own fields and those that it may share. Written field by field: objects made by spreading are slow in V8. */
function nodeOf(data: Fields, type: Type, scope: string, place: Place): GraphNode {
  const node = {
    id: asText(data.id),
    op: asText(data.op),
    call: typeof data.call === 'string' ? data.call : '',
    inputs: asList(data.inputs, asText),
    dtype: type.dtype,
    shape: type.shape,
    kind: type.kind,
    attrs: isNone(data.attrs) ? NONE : asRecord(data.attrs, String),
    bodies: isNone(data.bodies) ? NONE : asRecord(data.bodies, asGraph),
    flow: orNull(data.flow, asFlow),
    variable: typeof data.variable === 'string' ? data.variable : '',
    scope,
    file: place.file,
    line: place.line,
    cell: place.cell,
    cell_number: place.cell_number
  };
  return data.back_of ? { ...node, back_of: asBackOf(data.back_of) } : node;
}

function asShape(value: unknown): Dimension[] {
  return asList(value, asDimension);
}

function asBackOf(value: unknown): { scope: string; op: string } {
  const { scope, op } = asFields(value);
  return { scope: asText(scope), op: asText(op) };
}

function asFlow(value: unknown): Flow {
  const data = asFields(value);
  return {
    feeds: asRecord(data.feeds, feeds => asList(feeds, id => orNull(id, asText))),
    carried: asRecord(data.carried, range => {
      const [first = 0, count = 0] = asList(range, asNumber);
      return [first, count] as const;
    }),
    rounds: asText(data.rounds),
    results: orElse(data.results, names => asList(names, asText), [])
  };
}

/** Untrusted JSON → a graph. Throws where it is of another form. */
export function asGraph(value: unknown): Graph {
  const data = asFields(value);
  return { ...asHead(data), nodes: asList(data.nodes, asNode), sites: asRecord(data.sites ?? {}, asLocation) };
}

function asHead(data: Fields): Pick<Graph, 'hash' | 'name' | 'inputs' | 'outputs' | 'results'> {
  return {
    hash: asText(data.hash),
    name: asText(data.name),
    inputs: asList(data.inputs, asText),
    outputs: asList(data.outputs, asText),
    results: orElse(data.results, names => asList(names, asText), [])
  };
}

/** A graph, or null where it is not of the known form. */
export function decodeGraph(value: unknown): Graph | null {
  return attempt(() => asGraph(value));
}

/** A part of a graph, in the short form, or null where it is not of that. */
export function decodePart(value: unknown): GraphPart | null {
  return attempt(() => {
    const data = asFields(value);
    const types = asList(data.types, asType);
    const places = asList(data.places, asPlace);
    const scopes = asList(data.scopes, scope => asScope(scope, places));
    const sites = Object.create(null) as Record<string, Location>;
    for (const { text, site } of scopes) {
      if (site) {
        sites[text] = site;
      }
    }
    const nodes = asList(data.nodes, node => asShortNode(node, types, scopes, places));
    return { graph: { ...asHead(data), nodes, sites }, first: asNumber(data.first), left: asNumber(data.left) };
  });
}

/** A type of many nodes. */
type Type = Pick<GraphNode, 'dtype' | 'shape' | 'kind'>;

function asType(value: unknown): Type {
  const [dtype, shape, kind] = asList(value, part => part);
  return { dtype: orNull(dtype, asText), shape: orNull(shape, asShape), kind: asText(kind) };
}

/** Where a node was made. */
type Place = Pick<GraphNode, 'file' | 'line' | 'cell' | 'cell_number'>;

const NOWHERE: Place = { file: null, line: null, cell: null, cell_number: null };

/** A place of many nodes. */
function asPlace(value: unknown): Location {
  const [file, line, cell, cell_number] = asList(value, part => part);
  return asLocation({ file, line, cell, cell_number });
}

/** A scope of many nodes, and where its call stands. */
interface Scope {
  readonly text: string;
  readonly site: Location | null;
}

function asScope(value: unknown, places: readonly Location[]): Scope {
  const [text, site] = asList(value, part => part);
  return { text: asText(text), site: orNull(site, at => entry(places, at)) };
}

/** The item of a table with this number. */
function entry<T>(table: readonly T[], number: unknown): T {
  return table[asNumber(number)] ?? fail('entry');
}

function asShortNode(value: unknown, types: readonly Type[], scopes: readonly Scope[], places: readonly Location[]): GraphNode {
  const data = asFields(value);
  const place = data.at === undefined ? NOWHERE : entry(places, data.at);
  return nodeOf(data, entry(types, data.type), entry(scopes, data.scope).text, place);
}

/** Untrusted JSON → the graphs that are in it by their hashes; those of a form that is not known are left out. */
export function decodeGraphs(graphs: unknown): Graph[] {
  return Object.values(graphs ?? {})
    .map(decodeGraph)
    .filter(graph => graph !== null);
}
