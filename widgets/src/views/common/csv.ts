/** Tables as CSV. */

type Field = string | number | boolean | null;

/** The CSV text of rows below a head. */
export function toCsv(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  return [head, ...rows].map(row => `${row.map(field).join(',')}\r\n`).join('');
}

/** Texts come from users: a text that a spreadsheet would take for a formula gets an apostrophe before it. */
function field(value: Field): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
