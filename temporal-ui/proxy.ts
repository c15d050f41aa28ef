import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import { parseUpstream } from './upstream.js';

/** Creates a proxy for Temporal's Web UI that streams in both directions. */
export function webUiProxy(target: string, origin: () => string) {
  const upstream = parseUpstream(target);

  async function pass(c: Context): Promise<Response> {
    const { pathname, search } = new URL(c.req.url);
    try {
      const response = await proxy(`${upstream.base}${pathname}${search}`, {
        customFetch: upstream.fetch,
        raw: c.req.raw,
        redirect: 'manual',
        headers: { ...c.req.header(), host: undefined, origin: undefined, referer: undefined, cookie: foreignCookies(c) },
      });
      const location = response.headers.get('location');
      if (location?.startsWith(upstream.origin)) {
        response.headers.set('location', `${origin()}${location.slice(upstream.origin.length)}`);
      }
      return response;
    } catch {
      return c.text(`The Web UI of Temporal at ${target} does not answer; see \`provisioning status\`.\n`, 502);
    }
  }

  return {
    pass,
    /** Returns the settings of the UI, with the address of our codec. */
    async settings(c: Context): Promise<Response> {
      const response = await pass(c);
      if (!response.ok) return response;
      const settings = (await response.json()) as { Codec?: object };
      const codec = { ...settings.Codec, Endpoint: `${origin()}/codec`, PassAccessToken: false, IncludeCredentials: true };
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      return Response.json({ ...settings, Codec: codec }, { headers });
    },
  };
}

/** Returns the cookies without the one of our session, which must not reach other servers. */
function foreignCookies(c: Context): string | undefined {
  const cookies = (c.req.header('cookie') ?? '').split(/;\s*/).filter((one) => one && !one.startsWith('provisioning-ui-'));
  return cookies.join('; ') || undefined;
}
