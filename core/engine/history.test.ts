import { describe, expect, it } from 'vitest';
import { shortHistory } from './history.js';

describe('the history of a namespace', () => {
  it.each([
    [7, 'after 7 days'],
    [1.5, 'after 36 hours'],
    [0.5, 'after 12 hours'],
  ])('is told of where it is shorter than promised: %s days', (days, words) => {
    expect(shortHistory('team', days)).toContain(words);
    expect(shortHistory('team', days)).toContain('--namespace team --retention 30d');
  });

  it.each([30, 90, undefined])('is as promised with %s days', (days) => {
    expect(shortHistory('team', days)).toBeUndefined();
  });
});
