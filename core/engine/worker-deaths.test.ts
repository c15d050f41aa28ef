import { describe, expect, test } from 'vitest';
import { NO_DEATHS, recordDeath, type WorkerDeaths, type WorkNote } from './worker-deaths.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const note = (operation: string, activity = '1'): WorkNote => ({ operation, activity, type: 'act' });
const known = (...deaths: WorkNote[][]): WorkerDeaths =>
  deaths.reduce((known, atWork, index) => recordDeath(known, atWork, at(index)), NO_DEATHS);
const aside = ({ setAside }: WorkerDeaths) => setAside.map(({ operation, activity }) => `${operation}/${activity}`);
const [killer, other, third] = [note('killer'), note('other'), note('third')];

describe('an activity is set aside', () => {
  test('after three deaths of the worker with it at work', () => {
    expect(aside(known([killer], [killer]))).toEqual([]);
    expect(known([killer], [killer], [killer]).setAside).toEqual([{ ...killer, deaths: 3, last: at(2) }]);
  });

  test('and not another operation that was at work beside it, nor what is still suspected', () => {
    const found = known([killer, other], [killer, other, third], [killer, third]);
    expect(aside(found)).toEqual(['killer/1']);
    expect(found.suspects).toEqual([]);
  });

  test('by what was watched alone: whoever works freely beside it is not blamed', () => {
    const twice = known([killer, other], [killer, other]);
    const thrice = recordDeath(twice, [killer, third], at(3));
    expect(aside(thrice)).toEqual(['killer/1']);
  });

  test('with all that the same operation had at work', () => {
    const both = [note('killer', '1'), note('killer', '2')];
    expect(aside(known(both, both, both))).toEqual(['killer/1', 'killer/2']);
  });

  test('at the first death of an operation of which one was set aside before', () => {
    expect(aside(known([killer], [killer], [killer], [note('killer', '7')]))).toEqual(['killer/1', 'killer/7']);
  });

  test('where nothing ever tells it from another, after six', () => {
    const both = [killer, other];
    expect(aside(known(both, both, both, both, both))).toEqual([]);
    expect(aside(known(both, both, both, both, both, both))).toEqual(['killer/1', 'other/1']);
  });
});

test('a worker killed at different moments of an operation blames none', () => {
  expect(aside(known([note('long', '1')], [note('long', '2')], [note('long', '3')], [note('long', '4')]))).toEqual([]);
});

test('a worker that dies with nothing at work blames nobody', () => {
  expect(known([], [], [])).toEqual(NO_DEATHS);
});

test('what is a week old is forgotten', () => {
  const old = known([killer], [killer], [killer], [other]);
  expect(recordDeath(old, [], new Date(Date.UTC(2026, 0, 9)).toISOString())).toEqual(NO_DEATHS);
});
