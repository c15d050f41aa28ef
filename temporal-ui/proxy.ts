import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import { parseUpstream } from './upstream.js';

/** Hands requests on to Temporal's Web UI, streaming both ways. */
export function webUiProxy(target: string, origin: () => string) {
  const upstream = parseUpstream(target);

  /** @param path of this request unless another is given */
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
    /** The UI's settings, with our codec in them. */
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

/** Our session is nobody else's business. */
function foreignCookies(c: Context): string | undefined {
  const cookies = (c.req.header('cookie') ?? '').split(/;\s*/).filter((one) => one && !one.startsWith('provisioning-ui-'));
  return cookies.join('; ') || undefined;
}
