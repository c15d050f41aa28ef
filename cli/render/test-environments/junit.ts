import type { TestResult } from '../../../core/environment/test-result.js';
import type { TestReport } from './test-result.js';

/** Characters that are not valid in XML 1.0, not even as references. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

const escaped = (text: string): string => text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"\r]/g, (one) => ENTITIES[one] ?? one);
/** Escapes an attribute value. Unescaped line breaks would be read as spaces. */
const attribute = (text: string): string => escaped(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

/**
 * Renders a report as JUnit XML, as GitLab, GitHub Actions and Jenkins read it. A test environment is a suite, and a
 * test is a case, by server.
 */
export function renderJunit({ environment, about, tests, seconds }: TestReport): string {
  const count = (status: TestResult['status']) => tests.filter((one) => one.status === status).length;
  const totals = [
    `tests="${tests.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('skipped')}"`,
    `time="${seconds.toFixed(3)}"`,
  ].join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="${attribute(environment)}" ${totals}>`,
    ...tests.map((one) => caseOf(about, one)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseOf(about: string, { name, server, status, seconds, why = '', output }: TestResult): string {
  const head = `    <testcase classname="${attribute(`${about}.${server}`)}" name="${attribute(name)}" time="${seconds.toFixed(3)}"`;
  const [line = ''] = why.split('\n');
  const body = [
    ...(status === 'failed' ? [`<failure message="${attribute(line)}">${escaped(why)}</failure>`] : []),
    ...(status === 'error' ? [`<error message="${attribute(line)}">${escaped(why)}</error>`] : []),
    ...(status === 'skipped' ? [`<skipped message="${attribute(line)}"/>`] : []),
    ...(output ? [`<system-out>${escaped(output)}</system-out>`] : []),
  ];
  return body.length === 0 ? `${head}/>` : `${head}>\n${body.map((one) => `      ${one}`).join('\n')}\n    </testcase>`;
}
