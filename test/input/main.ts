import { BAD_INPUTS } from './bad-inputs.js';
import { errorsIn, runRow } from './run-row.js';

/** Prints the time, memory and error of each bad input, one after the other. */
const worst = { ms: 0, peakMiB: 0 };
for (const [kind, inputs] of Object.entries(BAD_INPUTS)) {
  for (const row of inputs) {
    const { exit, output, ms, peakMiB } = await runRow(row);
    worst.ms = Math.max(worst.ms, ms);
    worst.peakMiB = Math.max(worst.peakMiB, peakMiB);
    const figures = `${(ms / 1000).toFixed(2).padStart(6)} s ${peakMiB.toFixed(0).padStart(4)} MiB  exit ${exit}`;
    console.log(`${figures}  ${kind}: ${row.title}\n    ${errorsIn(output)[0]?.slice(0, 160) ?? 'no error'}`);
  }
}
console.log(`most: ${(worst.ms / 1000).toFixed(2)} s, ${worst.peakMiB.toFixed(0)} MiB; allowed: 2 s on a quiet machine, 512 MiB`);
