/**
 * Compares an apply with nothing to do on 50 hosts with pyinfra and bare parallel ssh, health checks included. Each
 * host has five services: nginx, redis, postgres, memcached, node-exporter. All peers check the same hosts, in turn:
 * containers of one image with the services installed.
 *
 * Needs `npm run build`, root, a Docker Engine and about 6 GiB of memory. So many systemd processes also need
 * `sysctl -w fs.inotify.max_user_instances=1024`. `ROUNDS` (5); `HOSTS` (50) and `SERVICES` reduce the size, and
 * `PEERS` (pyinfra,bare ssh) selects the peers.
 */
process.env.HOSTS ??= '50';
process.env.SERVICES ??= 'nginx,redis,postgres,memcached,node-exporter';
// Node reads all certificates of this file at every start (bench/converge).
delete process.env.NODE_EXTRA_CA_CERTS;

// The sizes are read when these modules load.
await import('./compare.js');
