import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseReleases, releasesScript } from './releases.js';

test('the script that lists releases runs, and finds none of an application that is not there', () => {
  const script = `systemctl() { [ "$1" = show ]; }\n${releasesScript({ config: { name: 'not-there' } } as never, 'app-not-there-web.service')}`;
  const said = execFileSync('bash', ['-euo', 'pipefail', '-c', script], { encoding: 'utf8', stdio: 'pipe' });
  expect(parseReleases('web-1', said)).toEqual([]);
});
