import { dirname } from 'node:path';
import { execa } from 'execa';

const VERSION = '2.77.0';

/** Holds an OpenAPI document against the recommended rules of Redocly, and returns each error and warning as a line. */
export async function lintDocument(file: string): Promise<string[]> {
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = ['-y', `@redocly/cli@${VERSION}`, 'lint', file, '--extends', 'recommended', '--format', 'json'];
  const ran = await execa('npx', args, { cwd: dirname(file), env, reject: false, timeout: 300_000 });
  const start = ran.stdout.indexOf('{');
  if (start < 0) throw new Error(`Redocly wrote no report: ${ran.stderr}`);
  const { totals, problems } = JSON.parse(ran.stdout.slice(start)) as {
    totals: { errors: number; warnings: number };
    problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
  };
  const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? 'document'})`);
  if (found.length === 0 && (ran.exitCode !== 0 || totals.errors + totals.warnings > 0))
    throw new Error(`Redocly refused the document: ${ran.stderr}`);
  return found;
}
