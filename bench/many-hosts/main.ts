/**
 * An apply with nothing to do on 50 hosts with five services each (nginx, redis, postgres, memcached, node-exporter),
 * health checks included, against pyinfra and bare parallel ssh. All of them look at the same hosts, in turn: containers
 * of one image, in which the services are installed already. Needs `npm run build`, root, a Docker Engine, some 6 GiB
 * of memory and, for so many systemd at once, `sysctl -w fs.inotify.max_user_instances=1024`. `ROUNDS` (5); `HOSTS` (50)
 * and `SERVICES` make it smaller, and `PEERS` (pyinfra,bare ssh) names those that it runs against.
 */
process.env.HOSTS ??= '50';
process.env.SERVICES ??= 'nginx,redis,postgres,memcached,node-exporter';
// Node reads all certificates of this file at every start (bench/converge).
delete process.env.NODE_EXTRA_CA_CERTS;

// The sizes are read as these are loaded.
await import('./compare.js');
