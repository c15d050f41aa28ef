import { expect, test } from 'vitest';
import type { TestResult } from '../../../core/environment/test-result.js';
import { renderJunit } from './junit.js';
import type { TestReport } from './test-result.js';

const result = (more: Partial<TestResult>): TestResult => ({
  ...{ kind: 'script', name: 'rows', server: 'main', status: 'passed', seconds: 1.5 },
  ...more,
});
const report = (...tests: TestResult[]): TestReport => ({
  ...{
    environment: 'postgres-1',
    type: 'single',
    about: 'postgres',
    status: 'failed',
    servers: ['main'],
    seconds: 12,
    removed: true,
  },
  tests,
});

test('a suite an environment, a case a test, with what became of it', () => {
  const text = renderJunit(
    report(
      result({}),
      result({ status: 'failed', why: 'it ended with exit code 3', output: 'no rows\n' }),
      result({ status: 'error', why: 'the host was not reached' }),
      result({ status: 'skipped', why: 'it is not healthy' }),
    ),
  );
  expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="1" skipped="1" time="12.000">
  <testsuite name="postgres-1" tests="4" failures="1" errors="1" skipped="1" time="12.000">
    <testcase classname="postgres.main" name="rows" time="1.500"/>
    <testcase classname="postgres.main" name="rows" time="1.500">
      <failure message="it ended with exit code 3">it ended with exit code 3</failure>
      <system-out>no rows
</system-out>
    </testcase>
    <testcase classname="postgres.main" name="rows" time="1.500">
      <error message="the host was not reached">the host was not reached</error>
    </testcase>
    <testcase classname="postgres.main" name="rows" time="1.500">
      <skipped message="it is not healthy"/>
    </testcase>
  </testsuite>
</testsuites>
`);
});

test('what a host prints ends no element, and is always XML', () => {
  const output = '</system-out>&amp; ]]> \u001b[31m \u0000 \ud800 \ufffe ok\u{1f600}\r\n';
  const text = renderJunit(report(result({ name: 'a "b" <c>\nd', output })));
  expect(text).toContain('name="a &quot;b&quot; &lt;c&gt;&#10;d"');
  expect(text).toContain('&lt;/system-out&gt;&amp;amp; ]]&gt; \ufffd[31m \ufffd \ufffd \ufffd ok\u{1f600}&#13;\n</system-out>');
});
