import { sicknesses } from '../support/sick-server.js';
import type { Met } from './meet.js';
import { situations } from './situations.js';

/** Renders the seconds until the error, by sickness and situation, and the effect on the worker, as Markdown. */
export function renderTable({ seen, usualMs, besideMs, before, most, after, minutes }: Met): string {
  const cell = (sickness: string, situation: string) => {
    const one = seen.find((row) => row.sickness === sickness && row.situation === situation);
    return one ? `${one.seconds.toFixed(1)} s${one.named ? '' : ' (not named)'}` : '';
  };
  const rows = sicknesses.map((sickness) => `| ${sickness} | ${situations.map((one) => cell(sickness, one)).join(' | ')} |`);
  const ratio = (besideMs / usualMs).toFixed(2);
  return [
    `| host | ${situations.join(' | ')} |`,
    `| --- |${situations.map(() => ' ---: |').join('')}`,
    ...rows,
    '',
    `Worker: the same process; sockets ${before.sockets} before, ${most.sockets} at most, ${after.sockets} after; memory ${before.rssMiB.toFixed(0)} MiB before, ${most.rssMiB.toFixed(0)} at most.`,
    `An operation beside them: ${besideMs.toFixed(0)} ms (median), ${usualMs.toFixed(0)} ms without them: ${ratio} times. ${minutes.toFixed(1)} minutes.`,
  ].join('\n');
}
