import { type CommandOutput, type FoundPackage, type FoundService, fact, inputError, sh } from '../../sdk/index.js';
import { AS_POSTGRES, placesOf } from './places.js';

/** A cluster `main` of a version that has data on a host. */
export interface Cluster {
  /** The major version: `15`. */
  version: string;
  /** Full version of its package, absent where that is not installed. */
  package?: string;
  /** Its package is on hold. */
  held?: boolean;
  active: boolean;
  enabled: boolean;
  /** It was started once, and is no interrupted upgrade: its data may be needed. */
  used: boolean;
  /** It has our settings. */
  ours: boolean;
  /** Its unit waits for an address. */
  waits: boolean;
  /** The version out of which it was made by an upgrade. */
  from?: string;
}

/** Package and unit of the wanted version are facts of their own: to ask again costs more than all the rest. */
const scriptOf = (wanted: string) => `${sh`wanted=${wanted}`}
for data in /var/lib/postgresql/*/main; do
  [ -e "$data/PG_VERSION" ] || continue
  version=\${data%/main}; version=\${version##*/}
  case "$version" in *[!0-9]*) continue ;; esac
  unit=postgresql@$version-main package= active= enabled=
  if [ "$version" != "$wanted" ]; then
    package=$(dpkg-query -W -f '\${db:Status-Abbrev}\${Version}' "postgresql-$version" 2>/dev/null | sed -nE 's/^(.)i./\\1/p')
    active=$(systemctl is-active "$unit" 2>/dev/null)
    enabled=$(systemctl is-enabled "$unit" 2>/dev/null)
  fi
  started=no; [ ! -e "$data/postmaster.opts" ] || started=yes
  ours=no; [ ! -e "/etc/postgresql/$version/main/conf.d/provisioning.conf" ] || ours=yes
  waits=no; [ ! -e "/etc/systemd/system/$unit.service.d/provisioning-address.conf" ] || waits=yes
  echo "cluster|$version|$package|$active|$enabled|$started|$ours|$waits"
  [ ! -e "\${data%/main}/provisioning.upgrade" ] || timeout 5 ${AS_POSTGRES} sed "s/^/note|$version|/" "\${data%/main}/provisioning.upgrade" 2>/dev/null
done
true`;

/** Clusters of a host, newest version first. Other facts cover the wanted version: see `clustersOf`. */
export const clustersFact = (wanted: string) => fact<Cluster[]>(scriptOf(wanted), readClusters, []);

interface FoundClusters {
  clusters: readonly Cluster[];
  package: FoundPackage;
  unit: FoundService;
}

/** The clusters of a host, with package and unit of the wanted version, newest version first. */
export const clustersOf = ({ clusters, package: { version, held }, unit: { name, active, enabled } }: FoundClusters): Cluster[] =>
  clusters.map((one) =>
    placesOf(one.version).unit === name
      ? { ...one, ...(version && { package: version }), ...(held && { held }), active, enabled }
      : one,
  );

function readClusters({ stdout }: CommandOutput): Cluster[] {
  const rows = stdout.split('\n').map((line) => line.split('|'));
  const notesOf = (of: string) => rows.flatMap(([kind, version, note = '']) => (kind === 'note' && version === of ? [note] : []));
  return rows
    .flatMap(([kind, version = '', installed, active, enabled, started, ours, waits]): Cluster[] => {
      if (kind !== 'cluster') return [];
      const notes = notesOf(version);
      const from = notes.find((note) => note.startsWith('from '))?.slice('from '.length);
      return [
        {
          version,
          ...(installed ? { package: installed.slice(1) } : {}),
          ...(installed?.startsWith('h') ? { held: true } : {}),
          active: active === 'active',
          enabled: enabled?.startsWith('enabled') ?? false,
          used: started === 'yes' && (from === undefined || notes.includes('done')),
          ours: ours === 'yes',
          waits: waits === 'yes',
          ...(from === undefined ? {} : { from }),
        },
      ];
    })
    .sort((a, b) => Number(b.version) - Number(a.version));
}

/**
 * The serving cluster, or the one that should serve. Among those with the platform's settings it is the newest.
 * Otherwise it is one that runs, or one with data.
 */
export function currentOf(clusters: readonly Cluster[]): Cluster | undefined {
  const used = clusters.filter((one) => one.used);
  return used.find(({ ours }) => ours) ?? used.find(({ active }) => active) ?? used[0];
}

/**
 * The cluster whose data a version must take over. Undefined if the version has its own data, or no cluster has any.
 *
 * @throws inputError `version-older` if the data is of a newer version, `data-in-the-way` if both have data
 */
export function formerOf(clusters: readonly Cluster[], version: string, host: string): Cluster | undefined {
  const current = currentOf(clusters);
  if (!current || current.version === version) return undefined;
  if (Number(current.version) > Number(version))
    throw inputError({
      code: 'version-older',
      what: `install postgres ${version}`,
      on: host,
      why: `the data in /var/lib/postgresql/${current.version}/main has version ${current.version}, which ${version} cannot read`,
      hint: `write \`version: ${current.version}\`, or restore a dump on a new server`,
    });
  if (clusters.some((one) => one.used && one.version === version))
    throw inputError({
      code: 'data-in-the-way',
      what: `upgrade postgres from ${current.version} to ${version}`,
      on: host,
      why: `a cluster ${version}/main with data exists already, and it is not the active one`,
      hint: `if it is not needed, remove it on the host: pg_dropcluster --stop ${version} main`,
    });
  return current;
}
