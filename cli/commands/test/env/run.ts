import { defineCommand } from '../../../command.js';
import { isBad, type TestReport } from '../../../render/test-environments/test-result.js';
import { showReport } from '../../../shared/test-environments/make-environment.js';
import { environmentNamed } from '../../../shared/test-environments/named-environment.js';
import { checkJunit, readTimeout, scriptsIn, TEST_OPTIONS } from '../../../shared/test-environments/options.js';
import { runTests } from '../../../shared/test-environments/run-tests.js';
import { runUntilSignal } from '../../../ssh/ended-by-signals.js';

export const command = defineCommand({
  arguments: [['<name>', 'the test environment']],
  options: TEST_OPTIONS,
  details:
    'Tests the environment again: health of services, a second run without changes, the scripts of its creation, and the scripts named here.',
  examples: ['test env run postgres-3f9a2c', 'test env run postgres-3f9a2c --script checks/rows.sh --junit report.xml'],
  async run(session, { args: [name = ''], flags }) {
    const { junit } = flags;
    await checkJunit(junit);
    const more = await scriptsIn(flags.script);
    const { infra, type, about, expires, scripts = [] } = await environmentNamed(session, name);
    const began = performance.now();
    const timeoutS = readTimeout(flags);
    const asked = { scripts: [...scripts, ...more], timeoutS };
    let aborted = false;
    const tests = await runUntilSignal(async (signal) => {
      const found = await runTests(session, infra, { ...asked, signal });
      aborted = signal.aborted;
      return found;
    });
    const report: TestReport = {
      ...{ environment: infra, type, about, expires, tests, removed: false },
      status: aborted ? 'interrupted' : tests.some(isBad) ? 'failed' : 'passed',
      servers: [...new Set(tests.map(({ server }) => server))],
      seconds: (performance.now() - began) / 1_000,
    };
    return showReport(session, report, { junit });
  },
});
