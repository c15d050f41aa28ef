/**
 * Packages that tests install on hosts often, by release of Debian. Test hosts need not fetch them
 * (`host-snapshot.ts`). Other packages are fetched as usual.
 */
export const HOST_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'debian-12': [
    // Services.
    ...['cron', 'haproxy', 'lego', 'mosquitto', 'nats-server', 'nftables', 'nginx', 'postgresql-15', 'prometheus', 'redis-server'],
    ...['prometheus-node-exporter', 'prometheus-postgres-exporter', 'prometheus-redis-exporter', 'restic', 'sudo', 'tzdata'],
    // Runtimes of applications, and clients.
    ...['etcd-client', 'etcd-server', 'patroni', 'pgbouncer', 'python3-etcd'],
    ...['mosquitto-clients', 'node-pg', 'nodejs', 'openssl', 'postgresql-client', 'python3', 'redis-tools'],
    // Name server and certificate authority in addition to the services.
    ...['bind9', 'bind9-dnsutils', 'pebble'],
  ],
  'debian-13': ['openssl', 'postgresql-17'],
};

/**
 * Further packages that apt of a test host knows, with their dependencies. Cases of taskservs and proofs install them.
 * They are fetched. Other packages become known when a step that misses a package fetches the archive's lists. With
 * all 60,000 packages, each call of apt takes one processor second.
 */
export const HOST_KNOWS: readonly string[] = [
  ...['aide', 'apparmor', 'bind9', 'bind9-dnsutils', 'borgbackup', 'build-essential', 'ca-certificates', 'cargo', 'chrony'],
  ...[
    'conntrack',
    'containerd',
    'containernetworking-plugins',
    'cron',
    'curl',
    'dns-root-data',
    'dnsmasq',
    'docker-cli',
    'docker-registry',
    'docker.io',
    'etcd-client',
  ],
  ...[
    'etcd-server',
    'ethtool',
    'fail2ban',
    'git',
    'golang-go',
    'haproxy',
    'iproute2',
    'iptables',
    'jq',
    'keepalived',
    'kmod',
    'lego',
    'libfcgi-bin',
    'libsasl2-modules',
  ],
  ...['libvirt-daemon-system', 'logrotate', 'mariadb-server', 'memcached', 'mosquitto', 'nats-server', 'netbase', 'nftables'],
  ...['influxdb', 'influxdb-client', 'nginx', 'nginx-common', 'nodejs', 'npm', 'openjdk-17-jdk-headless'],
  ...['openjdk-17-jre-headless', 'openjdk-21-jdk-headless', 'openjdk-21-jre-headless', 'openssh-client', 'openssh-server'],
  ...['openssl', 'ovmf', 'pgbouncer', 'php8.2-fpm', 'php8.2-gd', 'php8.2-mbstring', 'php8.2-pgsql', 'php8.4-fpm'],
  ...['php8.4-pgsql', 'podman', 'aardvark-dns', 'crun', 'netavark'],
  ...['default-jre-headless', 'galera-4', 'mariadb-backup', 'redis-sentinel', 'valkey-sentinel', 'valkey-server'],
  ...['patroni', 'python3-etcd', 'python3-kazoo', 'runc', 'slirp4netns', 'uidmap', 'postfix', 'postgresql-15'],
  ...['postgresql-17', 'postgresql-client', 'procps', 'prometheus', 'prometheus-alertmanager', 'prometheus-blackbox-exporter'],
  ...['prometheus-mysqld-exporter', 'prometheus-nginx-exporter', 'prometheus-node-exporter', 'prometheus-postgres-exporter'],
  ...['prometheus-redis-exporter', 'python3', 'python3-pip', 'python3-samba', 'python3-systemd', 'python3.11-venv'],
  ...['python3.13-venv', 'qemu-system-x86', 'qemu-utils', 'rabbitmq-server', 'redis-server', 'restic', 'rsyslog', 'rust-clippy'],
  ...['rustc', 'samba', 'skopeo', 'smbclient', 'squid', 'squid-openssl', 'sudo', 'systemd', 'telnet', 'tree', 'tzdata'],
  ...['pgbackrest', 'caddy', 'unattended-upgrades', 'unbound', 'varnish', 'victoria-metrics', 'zookeeper'],
  // Installed by hand.
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
