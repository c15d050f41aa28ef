import { describe, expect, it } from 'vitest';
import { GOOD_FOR_MS } from '../../core/encoding/sealed-message.js';
import { SeenMessages } from './seen-messages.js';

const start = Date.parse('2026-11-22T00:00:00Z');
const minute = 60_000;

describe('what a workflow has received', () => {
  it('is taken once, also by the next run', () => {
    const seen = new SeenMessages();
    expect(seen.has('a')).toBe(false);
    expect(seen.take({ id: 'a', at: start }, start)).toBeUndefined();
    expect(seen.take({ id: 'a', at: start }, start)).toBe('repeated');
    expect(new SeenMessages(seen.state()).has('a')).toBe(true);
    expect(new SeenMessages(seen.state()).take({ id: 'a', at: start }, start + 90 * minute)).toBe('repeated');
  });

  it('may have waited for days where nobody was there to take it', () => {
    const seen = new SeenMessages();
    seen.take({ id: 'a', at: start }, start);
    expect(seen.take({ id: 'b', at: start + minute }, start + 3 * 24 * 60 * minute)).toBeUndefined();
  });

  it('is remembered without growing, and what is older than that is refused', () => {
    const seen = new SeenMessages();
    for (let index = 0; index < 5_000; index++) seen.take({ id: `m${index}`, at: start + index * minute }, start + index * minute);
    expect(seen.state().ids).toHaveLength(1_000);
    for (const index of [0, 1_000, 3_999]) {
      expect(seen.take({ id: `m${index}`, at: start + index * minute }, start + 5_000 * minute), `m${index}`).toBe('too-old');
    }
    expect(seen.take({ id: 'm4500', at: start + 4_500 * minute }, start + 5_000 * minute)).toBe('repeated');
  });

  it('is remembered however many come at once, for as long as they may come again', () => {
    const seen = new SeenMessages();
    for (let index = 0; index < 5_000; index++) seen.take({ id: `m${index}`, at: start }, start);
    for (const id of ['m0', 'm4999']) expect(seen.take({ id, at: start }, start + GOOD_FOR_MS - 1)).toBe('repeated');
  });
});
