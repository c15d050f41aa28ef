/**
 * Measures the hardening of a host with lynis (Debian's package), before and after `os`, `ssh`, `firewall` and
 * `fail2ban` with their defaults.
 *
 * `npm run hardening` prints both indexes, and the remaining warnings and suggestions. `--json` prints them as JSON.
 *
 * The host is a container of this machine (root and a Docker Engine). Exit code 1 if the index does not rise, or if
 * the number of warnings rises. Exit code 2 if this machine cannot run hosts.
 */
import { parseArgs } from 'node:util';
import { definitionOf } from '../support/definition.js';
import { startTestEngine } from '../support/engine.js';
import { setup as keepHomes } from '../support/engines.js';
import { type HostShell, shellOf, sweep, whyNoHosts } from '../support/hosts.js';
import { run } from '../support/operations.js';

const SERVICES = ['os', 'ssh', 'firewall', 'fail2ban'];
const INFRA = `hardening-${process.pid}`;
const TIMING = { healthMs: 60_000, heartbeatMs: 10_000, retryMs: 500 };

interface Audit {
  /** Hardening index from 0 to 100. */
  index: number;
  tests: number;
  warnings: string[];
  suggestions: string[];
}

/** Runs lynis on the host. */
async function audit(shell: HostShell): Promise<Audit> {
  await shell(`command -v lynis >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends lynis >/dev/null
lynis audit system --quick --quiet --no-colors >/dev/null 2>&1 || :`);
  const report = await shell('cat /var/log/lynis-report.dat');
  const valuesOf = (key: string) => [...report.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const listOf = (key: string) => valuesOf(`${key}\\[\\]`).map((text) => text.split('|').slice(0, 2).join(': '));
  return {
    index: Number(valuesOf('hardening_index')[0]),
    tests: Number(valuesOf('lynis_tests_done')[0] ?? Number.NaN),
    warnings: listOf('warning'),
    suggestions: listOf('suggestion'),
  };
}

async function main(): Promise<0 | 1 | 2> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  const why = await whyNoHosts('plain');
  if (why) {
    console.error(why);
    return 2;
  }
  const removeHomes = await keepHomes();
  try {
    const engine = await startTestEngine();
    try {
      const apply = async (taskservs: string[]) => {
        const definition = definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'a' }], taskservs });
        const result = await run(engine, { infra: INFRA, definition, onFailure: 'keep', timing: TIMING });
        if (result.status !== 'done') throw new Error(`${result.status}: ${result.error?.step}: ${result.error?.why}`);
      };
      await apply([]);
      const before = await audit(shellOf(INFRA, 'a'));
      await apply(SERVICES);
      const after = await audit(shellOf(INFRA, 'a'));
      say({ before, after }, values.json);
      return after.index > before.index && after.warnings.length <= before.warnings.length ? 0 : 1;
    } finally {
      await engine.stop();
    }
  } finally {
    await sweep(INFRA);
    await removeHomes();
  }
}

function say(audits: Record<'before' | 'after', Audit>, json: boolean): void {
  if (json) {
    console.log(JSON.stringify(audits, undefined, 2));
    return;
  }
  for (const [when, { index, tests, warnings, suggestions }] of Object.entries(audits)) {
    console.log(
      `${when}: hardening index ${index} of 100, ${tests} tests, ${warnings.length} warnings, ${suggestions.length} suggestions`,
    );
  }
  for (const line of audits.after.warnings) console.log(`warning ${line}`);
  for (const line of audits.after.suggestions) console.log(`suggestion ${line}`);
}

process.exitCode = await main();
