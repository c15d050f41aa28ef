import type { ListenAddress } from '../../core/host/listening.js';
import { MANAGED_FILE_HEADER } from '../../core/taskserv/managed-file-header.js';
import type { PlanContext } from '../../core/taskserv/taskserv.js';
import { hardenedService } from '../../core/taskserv/unit-texts.js';

/** Context for the files and the unit of a release. */
export interface ReleaseAt extends PlanContext {
  listening: ListenAddress;
  /** Folder of its version, which never changes. */
  folder: string;
  /** Its data, which its user may write and which stays when it is removed. */
  data: string;
}

/** Returns all paths on a host that belong to a release. */
export const placesOf = (name: string) => ({
  releases: `/opt/${name}`,
  data: `/var/lib/${name}`,
  account: `/etc/sysusers.d/provisioning-${name}.conf`,
  unit: `/etc/systemd/system/${name}.service`,
});

/** Parts of a release's unit. */
export interface UnitParts {
  name: string;
  description: string;
  version: string;
  words: readonly (string | number)[];
  environment: Readonly<Record<string, string | number>>;
  environmentFile?: string;
  /** It binds ports below 1024. */
  privileged: boolean;
  /** Further lines of its section `[Service]`. */
  further: readonly string[];
}

/** Quotes a word for systemd, which expands `%` and `$`. */
function wordOf(word: string | number): string {
  const text = String(word)
    .replaceAll('%', '%%')
    .replaceAll('$', () => '$$');
  return /^[A-Za-z0-9_@%+=:,./$-]+$/.test(text) ? text : `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;
}

const variable = (name: string, value: string | number): string =>
  `Environment="${name}=${String(value).replaceAll(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"\n`;

/** Returns the unit of a release: it may read its files and write its data, and do nothing else to the host. */
export function unitText(parts: UnitParts, { folder, data }: Pick<ReleaseAt, 'folder' | 'data'>): string {
  const { name, description, version, words, environment, environmentFile, privileged, further } = parts;
  const [program = '', ...rest] = words.map(wordOf);
  const variables = Object.entries(environment).map(([name, value]) => variable(name, value));
  return `${MANAGED_FILE_HEADER}
# Version: ${version}
[Unit]
Description=${description.replaceAll('%', '%%')}
Wants=network-online.target
After=network-online.target

[Service]
User=${name}
WorkingDirectory=${folder}
StateDirectory=${name}
StateDirectoryMode=0750
Environment=HOME=${data}
${variables.join('')}${environmentFile === undefined ? '' : `EnvironmentFile=${environmentFile}\n`}ExecStart=${[program.startsWith('/') ? program : `${folder}/${program}`, ...rest].join(' ')}
Restart=on-failure
RestartSec=2
LimitNOFILE=65536
${hardenedService({ privileged, families: ['AF_NETLINK'] }).join('\n')}
UMask=0027
${further.map((line) => `${line}\n`).join('')}
[Install]
WantedBy=multi-user.target
`;
}
