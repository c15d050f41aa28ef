import type { Proofs } from '../proof.js';

export const observability: Proofs = {
  'node-exporter': {
    config: {},
    works: 'metrics=$(curl -fsS http://127.0.0.1:9100/metrics); grep -q "^node_memory_MemTotal_bytes [1-9]" <<<"$metrics"',
    changed: {
      config: { disabledCollectors: ['meminfo'] },
      works: 'metrics=$(curl -fsS http://127.0.0.1:9100/metrics); ! grep -q ^node_memory_MemTotal_bytes <<<"$metrics"',
    },
    units: ['prometheus-node-exporter'],
  },
  prometheus: {
    config: { scrapeInterval: '1 s' },
    works: `for _ in $(seq 30); do
  curl -fsS "http://$(hostname):9090/api/v1/query?query=up" | grep -c '"1"\\]' && exit
  sleep 1
done; exit 1`,
    changed: {
      config: { scrapeInterval: '2 s' },
      works: 'curl -fsS "http://$(hostname):9090/api/v1/status/config" | grep -c "scrape_interval: 2s"',
    },
    units: ['prometheus'],
  },
};
