/** Debian's paths for the cluster `main` of a version, and for the programs of that version. */
export interface Places {
  version: string;
  package: string;
  unit: string;
  bin: string;
  data: string;
  etc: string;
  settings: string;
  hba: string;
  /** Says whether the cluster starts at boot. */
  startConf: string;
  /** List of the roles and databases that the platform made, for use while the server is stopped. */
  made: string;
  /** Files that the server reads. */
  reads: string[];
}

export function placesOf(version: string): Places {
  const etc = `/etc/postgresql/${version}/main`;
  const data = `/var/lib/postgresql/${version}/main`;
  const [settings, hba] = [`${etc}/conf.d/provisioning.conf`, `${etc}/pg_hba.conf`];
  return {
    version,
    package: `postgresql-${version}`,
    unit: `postgresql@${version}-main`,
    bin: `/usr/lib/postgresql/${version}/bin`,
    ...{ data, etc, settings, hba },
    startConf: `${etc}/start.conf`,
    made: `${data}/provisioning.made`,
    reads: [`${etc}/postgresql.conf`, settings, hba],
  };
}

/** Runs a program as postgres. `runuser` would open a session by PAM for it, which takes longer than the program. */
export const AS_POSTGRES = 'setpriv --reuid postgres --regid postgres --clear-groups --';
