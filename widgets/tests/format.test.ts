import { describe, expect, it } from 'vitest';
import { count, counted, cut, duration, placeText, typeText } from '../src/format';

describe('format', () => {
  it.each([
    [0, '0 ns'],
    [812, '812 ns'],
    [1240, '1.24 µs'],
    [12_400_000, '12.4 ms'],
    [3_000_000_000, '3.00 s']
  ])('writes %i ns as %s', (ns, text) => {
    expect(duration(ns)).toBe(text);
  });

  it('writes types, places and counts', () => {
    expect(typeText('float32', [2, null, 'n'])).toBe('float32[2, any, n]');
    expect(typeText('int64', [])).toBe('int64[]');
    expect(typeText(null, null)).toBe('');
    expect([typeText('|V0', []), typeText('|V0', [8])]).toEqual(['object', 'empty list']);
    expect(placeText({ file: '/tmp/a/f.py', line: 3, cell: null, cell_number: null })).toBe('f.py line 3');
    expect(placeText({ file: 'x', line: 5, cell: 'id', cell_number: 7 })).toBe('cell [7] line 5');
    expect(counted(1, 'trace')).toBe('1 trace');
    expect(counted(2, 'trace')).toBe('2 traces');
    expect(count(12400)).toBe('12\u202f400');
    expect(cut('abcdef', 4)).toBe('abc…');
  });
});
