import { tlsFiles } from '../../../core/taskserv/service-tls.js';

/** Packages, units, programs and paths of redis, or of valkey, which came from it. */
export interface Places {
  /** Name of the taskserv, and the user that both daemons run as. */
  name: string;
  /** Package and unit of the server. */
  server: string;
  /** Package and unit of sentinel. */
  sentinel: string;
  /** The client. */
  cli: string;
  conf: string;
  data: string;
  log: string;
  /** What sentinel writes by itself: which member is the primary, and who else is there. With the data, which it tells of. */
  state: string;
  /** What the platform wants of sentinel. */
  wanted: string;
  /** Identity of the group, beside the data. */
  note: string;
  /** Whom the server follows. Made before each start. */
  role: string;
  /** Authority of the certificates of members. */
  authority: string;
  certificate: string;
  key: string;
  /** Runs before both daemons. */
  program: string;
}

/** @param name `redis` or `valkey` */
export function createPlaces(name: string): Places {
  const data = `/var/lib/${name}`;
  return {
    ...{ name, server: `${name}-server`, sentinel: `${name}-sentinel`, cli: `${name}-cli` },
    ...{ conf: `/etc/${name}/${name}.conf`, data, log: `/var/log/${name}` },
    ...{ state: `${data}/sentinel.conf`, wanted: `/etc/${name}/provisioning-sentinel.conf`, note: `${data}/provisioning-group` },
    ...{ role: `/run/${name}/role.conf`, authority: `/etc/${name}/provisioning-authority.pem`, ...tlsFiles(name) },
    program: `/usr/local/sbin/provisioning-${name}-member`,
  };
}
