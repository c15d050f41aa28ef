import { placeholder, type SecretRef } from '../../core/secret.js';

export interface RedisConfig {
  port: number;
  password?: SecretRef;
  bind?: string[];
  /** Bytes. */
  maxMemory: number;
  maxMemoryPolicy: string;
  persistence: 'snapshot' | 'append-only' | 'none';
}

/** The content of redis.conf. */
export function redisConf(config: RedisConfig): string {
  const lines = [
    '# Written by provisioning; changes by hand are taken back.',
    `bind ${addresses(config).join(' ')}`,
    'protected-mode yes',
    `port ${config.port}`,
    'tcp-keepalive 300',
    'pidfile /run/redis/redis-server.pid',
    'logfile /var/log/redis/redis-server.log',
    'dir /var/lib/redis',
    `maxmemory ${config.maxMemory}`,
    `maxmemory-policy ${config.maxMemoryPolicy}`,
    config.persistence === 'snapshot' ? 'save 3600 1 300 100 60 10000' : 'save ""',
    `appendonly ${config.persistence === 'append-only' ? 'yes' : 'no'}`,
  ];
  // In single quotes redis takes a backslash as it is, so only a single quote is impossible in a password.
  if (config.password) lines.push(`requirepass '${placeholder(config.password)}'`);
  return `${lines.join('\n')}\n`;
}

/** A leading `-` lets redis start where the address does not exist (no IPv6). */
function addresses({ bind, password }: RedisConfig): string[] {
  if (bind) return [...new Set(['127.0.0.1', ...bind])];
  return password ? ['*', '-::*'] : ['127.0.0.1', '-::1'];
}
