/** Reading untrusted JSON piece by piece: each reader gives the type it names, or gives up on the whole. */

/** A JSON object. */
export type Fields = Record<string, unknown>;

/** The value at hand is not of the form the protocol gives. */
class Malformed extends Error {}

/** Give up: the value is not of the expected form. */
export function fail(what: string): never {
  throw new Malformed(what);
}

/** An object. */
export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : fail('object');
}

/** A text. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : fail('text');
}

/** A number. */
export function asNumber(value: unknown): number {
  return typeof value === 'number' ? value : fail('number');
}

/** A flag: anything but true is false. */
export function asFlag(value: unknown): boolean {
  return value === true;
}

/** The result of `read`, or another value where there is none. */
export function orElse<T>(value: unknown, read: (value: unknown) => T, absent: T): T {
  return value === null || value === undefined ? absent : read(value);
}

/** The result of `read`, or null where there is none. */
export function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : read(value);
}

/** A list. */
export function asList<T>(value: unknown, read: (value: unknown) => T): T[] {
  return Array.isArray(value) ? value.map(read) : fail('list');
}

/** An object whose values `read` reads. */
export function asRecord<T>(value: unknown, read: (value: unknown) => T): Record<string, T> {
  // A null prototype, so that a key such as `__proto__` from user code is a key like any other.
  const record = Object.create(null) as Record<string, T>;
  for (const [key, item] of Object.entries(asFields(value))) {
    record[key] = read(item);
  }
  return record;
}

/** The result of `read`, or null where it gave up. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) {
      return null;
    }
    throw error;
  }
}
