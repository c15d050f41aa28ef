import { placeMethod } from '../../api/routes/route.js';
import { type AnyMethod, actionsOf } from '../../app/method.js';

/** Actions that change nothing. */
const SAFE = /:(read(-[a-z]+)?|reveal|status)$/;

/** Returns the source of the methods' REST paths. The client does not compute them, and so loads no schema. */
export const placesSource = (all: readonly { method: AnyMethod }[], header: string): string =>
  [
    header,
    "import type { MethodPlace } from './method-place.js';",
    '',
    '/** Where each method is in the REST API. */',
    'export const PLACES: Readonly<Record<string, MethodPlace>> = {',
    ...all.map(({ method }) => {
      const { verb, path, fields, waits } = placeMethod(method);
      const resumes = method.kind === 'stream' && verb === 'GET' && 'after' in fields.properties;
      const safe = actionsOf(method).every((action) => SAFE.test(action));
      return `  '${method.name}': ${JSON.stringify({ verb, path, ...(safe && { safe }), ...(waits && { waits }), ...(resumes && { resumes }) })},`;
    }),
    '};',
    '',
  ].join('\n');
