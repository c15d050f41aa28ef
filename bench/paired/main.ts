/**
 * Runs a benchmark in another commit and in this checkout, in turn, on the same machine. The other commit is the former
 * release, or the last one before messages were sealed. The latter shows the cost of sealing, mutual TLS and checks.
 *
 * npm run bench:paired -- operation|batch|converge [--against sealing|release] [--rounds 5] [--json]
 *
 * RUNS, FEW, MANY and ROUNDS are those of the benchmarks themselves.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { keepResult, machine, printTable } from '../report.js';
import { type Pair, type Row, rowsOf, type Spread } from './figures.js';
import { makeSides, OTHERS } from './sides.js';
import { SUBJECTS } from './subjects.js';

/** Maximum ratio to the time of the former commit. */
const GOAL = 1.1;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string', default: 'sealing' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const [name = ''] = positionals;
const rounds = Number(values.rounds);
const { against } = values;
if (!Object.hasOwn(SUBJECTS, name) || !Object.hasOwn(OTHERS, against) || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(
    `usage: npm run bench:paired -- ${Object.keys(SUBJECTS).join('|')} [--against ${Object.keys(OTHERS).join('|')}] [--rounds 5] [--json]\n`,
  );
  process.exit(2);
}
const subject = SUBJECTS[name as keyof typeof SUBJECTS]();
const say = (text: string) => process.stderr.write(`${text}\n`);
const loadNow = () => loadavg()[0] as number;
const figure = (value: number) => (value < 10 ? value.toFixed(3) : value.toFixed(1));

const other = OTHERS[against as keyof typeof OTHERS];
say(`preparing ${other} and this checkout`);
const sides = await makeSides(against as keyof typeof OTHERS);
const pairs: Pair[] = [];
try {
  for (let round = 1; round <= rounds; round++) {
    const run = async (which: 'former' | 'present') => {
      const load = loadNow();
      const figures = await subject.measure(which, sides[which]);
      const texts = Object.entries(figures).map(([what, value]) => `${what} ${figure(value)}`);
      say(`round ${round} of ${rounds}: ${which}: ${texts.join(', ')}; load ${load.toFixed(1)}`);
      return { load, figures };
    };
    const former = await run('former');
    const present = await run('present');
    const load = { former: former.load, present: present.load };
    pairs.push({ former: former.figures, present: present.figures, load });
  }
} finally {
  await subject.close?.();
  await sides.remove();
}

const rows = rowsOf(pairs);
const result = { bench: name, former: other, rounds, parameters: subject.parameters, goal: GOAL, rows, pairs };
await keepResult(against === 'sealing' ? `paired-${name}` : `paired-${name}-${against}`, result);
if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else print();

function print(): void {
  const loads = pairs.flatMap(({ load }) => [load.former, load.present]);
  const load = `load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  const parameters = Object.entries(subject.parameters).map(([key, value]) => `${key}=${value}`);
  process.stdout.write(`${machine()}; ${rounds} rounds, in turn; ${parameters.join(' ')}; ${load}\n`);
  const spread = ({ min, median, max }: Spread) => [figure(min), figure(median), figure(max)];
  const line = ({ what, former, present, ratio }: Row) => [what, ...spread(former), ...spread(present), ratio.toFixed(2)];
  printTable(['', 'former min', 'median', 'max', 'present min', 'median', 'max', 'ratio'], rows.map(line));
  const [{ what, ratio } = { what: name, ratio: Number.NaN }] = rows;
  process.stdout.write(`${ratio <= GOAL ? 'reached' : 'MISSED'}: ${what} ${ratio.toFixed(2)} of at most ${GOAL}\n`);
}
