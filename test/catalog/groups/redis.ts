import type { GroupService } from './group-service.js';

/**
 * A store with sentinel.
 *
 * @param name `redis` or `valkey`
 */
export function storeWithSentinel(name: string): GroupService {
  const cli = `${name}-cli`;
  /** Bash with the name of the primary, as a client finds it: by the first sentinel that answers. */
  const find = `export REDISCLI_AUTH=cache-password
find() { for each in 127.0.0.1 a b c; do
  primary=$(timeout 2 ${cli} -h $each -p 26379 sentinel get-master-addr-by-name main 2>/dev/null | head -n 1) || continue
  [ -n "$primary" ] && [[ $primary != ERR* ]] && return
done; return 1; }
find`;
  /** Lets b lead before it is lost. */
  const leadByB = `${cli} -h c config set replica-priority 0 >/dev/null
for _ in $(seq 100); do
  [ "$(timeout 2 ${cli} -h b role 2>/dev/null | head -n 1)" != master ] || break
  timeout 2 ${cli} -p 26379 sentinel failover main >/dev/null 2>&1 || true
  sleep 1
done
for _ in $(seq 60); do
  find && [ "$primary" = b ] && [ "$(${cli} -h b --raw info replication | tr -d '\\r' | sed -n 's/^connected_slaves://p')" = 2 ] && break
  sleep 1
done
[ "$primary" = b ]
${cli} -h c config set replica-priority 100 >/dev/null
`;
  return {
    name,
    unit: `${name}-server`,
    config: { cluster: 'main', password: { secret: 'cache' }, persistence: 'append-only' },
    secrets: { cache: 'cache-password' },
    change: { maxMemory: '80 MiB' },
    changed: { shown: `grep ^maxmemory' ' /etc/${name}/${name}.conf`, is: `maxmemory ${80 * 1024 ** 2}` },
    write: (key, value) => `${find}
said=$(printf 'SET ${key} ${value}\\nWAIT 1 5000\\n' | timeout 8 ${cli} -h "$primary" | paste -sd' ')
[[ $said =~ ^OK\\ [12]$ ]] || { echo "$said"; exit 1; }
${key === 'k0' ? leadByB : ''}`,
    read: (keys) => `export REDISCLI_AUTH=cache-password
for key in ${keys.join(' ')}; do echo "$key=$(${cli} get $key)"; done`,
  };
}
