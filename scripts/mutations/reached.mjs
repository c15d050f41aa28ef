// Loaded before anything else by each process of the first run of mutations (baseline.ts): notes which places of mutations
// a test file reaches. `REACHED_PLACES` is the file that takes its notes, a number in each line.
import { appendFileSync } from 'node:fs';

const seen = new Set();

globalThis.__reached = (place) => {
  const file = process.env.REACHED_PLACES;
  if (!file || seen.has(`${file} ${place}`)) return;
  seen.add(`${file} ${place}`);
  try {
    appendFileSync(file, `${place}\n`);
  } catch {
    // A process of another user may write nothing there.
  }
};
