/** Numbers, shapes and places as short text. */

import { Dimension, Location } from './protocol';
import { plural, t } from './words';

/** A duration in ns, with three significant digits: `812 ns`, `1.24 ms`. */
export function duration(ns: number): string {
  const units: [number, string][] = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns']
  ];
  const [scale, unit] = units.find(([size]) => Math.abs(ns) >= size) ?? [1, 'ns'];
  const value = ns / scale;
  return `${unit === 'ns' ? Math.round(value) : significant(value)} ${unit}`;
}

/** Three significant digits, never in exponent form: `1.24`, `12.4`, `124`, `1240`. */
export function significant(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A count with thin spaces between thousands: `12 400`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** A count and its noun: `1 trace`, `2 traces`. */
export function counted(value: number, noun: string): string {
  return plural(value, noun, count(value));
}

/** The dtype of objects that are no arrays, and of lists that never had an element. */
const NO_DTYPE = '|V0';

/** A dtype and shape on one line: `float32[2, 3]`, `float32[]`, or the known part; `object` for one that is no array. */
export function typeText(dtype: string | null, shape: readonly Dimension[] | null): string {
  if (dtype === null && shape === null) {
    return '';
  }
  if (dtype === NO_DTYPE) {
    return shape?.length === 0 ? t`object` : t`empty list`;
  }
  return `${dtype ?? '?'}${shape ? `[${shape.map(dim => dim ?? 'any').join(', ')}]` : ''}`;
}

/** Bytes of an array, or null where a length is open or the dtype has none of its own. */
export function bytesOf(dtype: string | null, shape: readonly Dimension[] | null): number | null {
  const [, name, digits] = /^([<>|=]?[a-zA-Z_]+?)(\d+)?$/.exec(dtype ?? '') ?? [];
  if (name === undefined || !shape || !shape.every(dim => typeof dim === 'number')) {
    return null;
  }
  const size = Number(digits ?? 0);
  const kind = name.replace(/^[<>|=]/, '');
  const item =
    kind === 'bool' ? 1 : kind === 'U' ? 4 * size : kind === 'S' || kind === 'V' ? size : /^(u?int|float|complex)$/.test(kind) ? size / 8 : 0;
  return item > 0 ? shape.reduce((all, dim) => all * dim, item) : null;
}

/** Bytes of an array in words: `24 B`, `1.20 MB`. */
export function bytesText(dtype: string | null, shape: readonly Dimension[] | null): string {
  const bytes = bytesOf(dtype, shape);
  return bytes === null ? t`not known` : bytesWords(bytes);
}

/** Bytes in words: `24 B`, `1.20 MB`. */
export function bytesWords(bytes: number): string {
  return amountText(bytes, 'B');
}

/** An amount with its unit and a prefix: `24 B`, `1.20 kB`, `3.40 Mflop`. */
export function amountText(amount: number, unit: string): string {
  const prefixes: [number, string][] = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k']
  ];
  const [scale, prefix] = prefixes.find(([size]) => amount >= size) ?? [1, ''];
  return `${prefix === '' ? Math.round(amount) : significant(amount / scale)} ${prefix}${unit}`;
}

/** A part of a whole in words: `63 %`, `1.2 %`. */
export function partText(part: number): string {
  const percent = part * 100;
  if (percent > 0 && percent < 0.1) {
    return '< 0.1 %';
  }
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}

/** A place in words: `cell [7] line 5`, or `file.py line 5`. */
export function placeText(place: Location): string {
  if (place.cell !== null || place.cell_number !== null) {
    return t`cell [${place.cell_number ?? '?'}] line ${place.line}`;
  }
  return t`${place.file.split(/[/\\]/).pop() ?? place.file} line ${place.line}`;
}

/** The text, cut to `length` characters with an ellipsis. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
