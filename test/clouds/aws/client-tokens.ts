import type { Form } from './form.js';

interface Answered {
  request: string;
  /** Answer of the first request. A second request at the same time waits for it. */
  answer: Promise<{ status: number; body: string }>;
}

/** Client tokens of requests, which AWS stores and moto does not. */
export class ClientTokens {
  private readonly known = new Map<string, Answered>();

  /**
   * Returns the answer of an earlier request with the same token, or `mismatch` if that request was different.
   * Otherwise calls `make` and stores its answer if it is a success.
   */
  async once(
    form: Form,
    make: () => Promise<{ status: number; body: string }>,
  ): Promise<'mismatch' | { status: number; body: string; again: boolean }> {
    const token = form.values.get('ClientToken');
    if (!token) return { ...(await make()), again: false };
    const key = `${form.region}/${form.action}/${token}`;
    const request = JSON.stringify([...form.values].sort(([a], [b]) => (a < b ? -1 : 1)));
    const there = this.known.get(key);
    if (there) return there.request === request ? { ...(await there.answer), again: true } : 'mismatch';
    const answer = make();
    this.known.set(key, { request, answer });
    const made = await answer.catch((error: unknown) => {
      this.known.delete(key);
      throw error;
    });
    if (made.status !== 200) this.known.delete(key);
    return { ...made, again: false };
  }
}
