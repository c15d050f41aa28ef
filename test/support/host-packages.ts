/**
 * What tests install on hosts again and again, by release of Debian. A host of theirs need not fetch it
 * (`host-snapshot.ts`). What is not listed is fetched as ever.
 */
export const HOST_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'debian-12': [
    // Services.
    ...['cron', 'haproxy', 'lego', 'mosquitto', 'nats-server', 'nftables', 'nginx', 'postgresql-15', 'prometheus', 'redis-server'],
    ...['prometheus-node-exporter', 'prometheus-postgres-exporter', 'prometheus-redis-exporter', 'restic', 'sudo', 'tzdata'],
    // What applications run with, and clients.
    ...['mosquitto-clients', 'node-pg', 'nodejs', 'openssl', 'postgresql-client', 'python3', 'redis-tools'],
    // A name server and an authority of certificates, beside the services.
    ...['bind9', 'bind9-dnsutils', 'pebble'],
  ],
  'debian-13': ['openssl', 'postgresql-17'],
};
