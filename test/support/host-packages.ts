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

/**
 * What apt of a test host knows besides, with all that it depends on: what cases of taskservs install, and what proofs
 * install by hand. It is fetched. Of anything else apt hears once it has fetched the lists of the archive, which a step
 * does that finds no package: with all 60,000 packages each call of apt takes a second of a processor.
 */
export const HOST_KNOWS: readonly string[] = [
  ...['aide', 'apparmor', 'bind9', 'bind9-dnsutils', 'borgbackup', 'build-essential', 'ca-certificates', 'cargo', 'chrony'],
  ...['containerd', 'cron', 'curl', 'dns-root-data', 'dnsmasq', 'docker-cli', 'docker-registry', 'docker.io', 'etcd-client'],
  ...['etcd-server', 'fail2ban', 'git', 'golang-go', 'haproxy', 'iproute2', 'jq', 'lego', 'libfcgi-bin', 'libsasl2-modules'],
  ...['libvirt-daemon-system', 'logrotate', 'mariadb-server', 'memcached', 'mosquitto', 'nats-server', 'netbase', 'nftables'],
  ...['influxdb', 'influxdb-client', 'nginx', 'nginx-common', 'nodejs', 'npm', 'openjdk-17-jdk-headless'],
  ...['openjdk-17-jre-headless', 'openjdk-21-jdk-headless', 'openjdk-21-jre-headless', 'openssh-client', 'openssh-server'],
  ...['openssl', 'ovmf', 'pgbouncer', 'php8.2-fpm', 'php8.2-gd', 'php8.2-mbstring', 'php8.2-pgsql', 'php8.4-fpm'],
  ...['php8.4-pgsql', 'podman', 'aardvark-dns', 'crun', 'netavark', 'runc', 'slirp4netns', 'uidmap', 'postfix', 'postgresql-15'],
  ...['postgresql-17', 'postgresql-client', 'procps', 'prometheus', 'prometheus-alertmanager', 'prometheus-blackbox-exporter'],
  ...['prometheus-mysqld-exporter', 'prometheus-nginx-exporter', 'prometheus-node-exporter', 'prometheus-postgres-exporter'],
  ...['prometheus-redis-exporter', 'python3', 'python3-pip', 'python3-samba', 'python3-systemd', 'python3.11-venv'],
  ...['python3.13-venv', 'qemu-system-x86', 'qemu-utils', 'rabbitmq-server', 'redis-server', 'restic', 'rsyslog', 'rust-clippy'],
  ...['rustc', 'samba', 'skopeo', 'smbclient', 'squid', 'squid-openssl', 'sudo', 'systemd', 'telnet', 'tree', 'tzdata'],
  ...['caddy', 'unattended-upgrades', 'unbound', 'varnish', 'victoria-metrics', 'zookeeper'],
  // By hand.
  ...[
    'amqp-tools',
    'beanstalkd',
    'busybox-static',
    'dbus',
    'hello',
    'locales',
    'lynis',
    'nginx-light',
    'postgresql',
    'systemd-resolved',
  ],
];
