/** An event of a stream; a comment is one without data. */
export interface ServerEvent {
  /** `message` unless the server names another one. */
  event: string;
  id?: string;
  data?: string;
}

/** Characters of an event, far above the largest one. */
const MOST = 256 * 1024 * 1024;

/**
 * Reads server-sent events (HTML, 9.2) from the texts of a response. A comment, which keeps a quiet connection open,
 * is yielded as an event without data. A truncated event is dropped.
 *
 * @throws Error if an event does not end
 */
export async function* readEvents(texts: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  let event: ServerEvent = { event: 'message' };
  const data: string[] = [];
  let size = 0;
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    size += text.length;
    if (size > MOST) throw new Error('an event of the server does not end');
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (data.length > 0) yield { ...event, data: data.join('\n') };
        event = { event: 'message' };
        data.length = 0;
        size = rest.length;
        continue;
      }
      const at = line.indexOf(':');
      if (at === 0) {
        yield { event: 'comment' };
        continue;
      }
      const field = at < 0 ? line : line.slice(0, at);
      const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      else if (field === 'event') event.event = value;
      else if (field === 'id') event.id = value;
    }
  }
}
