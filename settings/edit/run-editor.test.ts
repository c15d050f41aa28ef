import { expect, test } from 'vitest';
import { runEditor } from './run-editor.js';

test('an editor that is no longer wished for ends at once, whether the wish came before or after it began', async () => {
  const later = new AbortController();
  setTimeout(() => later.abort(), 100);
  for (const signal of [AbortSignal.abort(), later.signal])
    expect(await runEditor('exec sleep 300 #', '/nowhere', process.env, signal)).toBe('the editor ended with SIGTERM');
});
