import {
  type HostContext,
  listOffered,
  MANAGED_FILE_HEADER,
  type Peer,
  reachedAt,
  secretAs,
  type Text,
  text,
} from '../../sdk/index.js';
import type { KeepalivedConfig } from './keepalived-config.js';
import { CHECK_SCRIPT, NETWORK_CONF } from './keepalived-scripts.js';

/** Missed checks in a row after which the addresses move, one a second; and good ones after which the server counts again. */
const CHECKS = 2;

/** Address and port of the service behind the addresses, for the check script. */
function checkedAt({ check }: KeepalivedConfig, host: HostContext, peers: readonly Peer[]): string | undefined {
  if (!check) return undefined;
  if ('port' in check) return `127.0.0.1 ${check.port}`;
  const own = peers.filter(({ server, taskserv }) => server === host.name && taskserv === check.taskserv);
  const [offered] = listOffered(own, check.offering);
  return offered && `${reachedAt(offered, host)} ${offered.endpoint.port}`;
}

/** The content of keepalived.conf, without what only the host knows. */
export function formatConf(config: KeepalivedConfig, host: HostContext, peers: readonly Peer[]): Text {
  const { group, routerId = 1, priority = 1, preempt, interval, password } = config;
  const checked = checkedAt(config, host, peers);
  const script = checked
    ? `
vrrp_script service {
    script "${CHECK_SCRIPT} ${checked}"
    interval 1
    timeout 2
    fall ${CHECKS}
    rise ${CHECKS}
}
`
    : '';
  const authentication = password
    ? text`    authentication {
        auth_type PASS
        auth_pass ${secretAs('keepalived', password)}
    }
`
    : '';
  // All members begin as backup: the priorities decide.
  return text`${MANAGED_FILE_HEADER}
global_defs {
    router_id ${host.name}
    script_user daemon
    enable_script_security
    vrrp_garp_master_refresh 60
}
${script}
vrrp_instance ${group} {
    include ${NETWORK_CONF}
    state BACKUP
    virtual_router_id ${routerId}
    priority ${priority}
    advert_int ${interval}
${preempt ? '' : '    nopreempt\n'}${authentication}${script ? '    track_script {\n        service\n    }\n' : ''}}
`;
}
