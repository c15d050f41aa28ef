import { forEachArtifact } from '../../core/host/artifact-marks.js';
import { sh } from '../../core/host/shell.js';
import { locateApp } from '../../core/taskserv/app-layout.js';
import { type Application, unitOf } from './applications.js';
import { askServers } from './ask-servers.js';
import type { HostScripts } from './host-scripts.js';

/** A release on a server. */
export interface Release {
  server: string;
  release: string;
  /** When it was put there, ISO 8601. */
  there: string;
  /** Since when it runs, ISO 8601; absent if another one runs. */
  since?: string;
}

/**
 * Reads the releases on the servers of an application, the newest first, by server.
 *
 * @throws inputError `app-not-asked`; unreachableError `no-worker`
 */
export async function readReleases(
  engine: { hostScripts?: HostScripts },
  app: Application,
  what: string,
): Promise<Map<string, Release[]>> {
  const said = await askServers(engine, app, releasesScript(app, unitOf(app)), { what });
  return new Map([...said].map(([server, text]) => [server, parseReleases(server, text)]));
}

/** A script that lists the releases of an application, the newest first: `RELEASE THERE SINCE`. */
export function releasesScript({ config: { name } }: Pick<Application, 'config'>, unit: string): string {
  return sh`runs=$(systemctl show -P WorkingDirectory ${unit}); since=
if systemctl is-active -q ${unit}; then since=$(date -u -d "$(systemctl show -P ActiveEnterTimestamp ${unit})" +%FT%TZ); fi`.concat(
    '\n',
    forEachArtifact(
      locateApp(name).releases,
      `at=; [ "$to" != "$runs" ] || at=$since; printf '%s\\n' "\${to##*/} $(date -u -r "$mark" +%FT%TZ) $at"`,
    ),
  );
}

/** Parses the output of `releasesScript` on a server. */
export const parseReleases = (server: string, text: string): Release[] =>
  text.split('\n').flatMap((line) => {
    const [release, there, since] = line.trim().split(' ');
    return release && there ? [{ server, release, there, ...(since ? { since } : {}) }] : [];
  });
