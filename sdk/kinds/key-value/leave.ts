import type { Step } from '../../../core/host/step.js';
import { FORGET, HAND_OVER } from './scripts.js';
import { defineAround, type Place } from './steps.js';

/**
 * Takes a member out, on another one. It may have gone for good. One that leads hands over before. One that answers is told
 * to end, and does not start again.
 *
 * @param isReplaced a new machine of the same name takes its place: the others need not forget it
 */
export const leaveStep = (place: Place, isReplaced: boolean): Step => ({
  title: `Remove ${place.server} from the ${place.places.name} cluster ${place.cluster}`,
  run: `${defineAround(place)}
${HAND_OVER}
${FORGET}
primary=
for _ in $(seq 60); do
  primary=$(field 127.0.0.1 ip) || primary=
  if [ -n "$primary" ] && [ "$primary" != "$ME" ]; then break; fi
  now=$(role "$ME" role) || now=
  if [ -n "$primary" ] && [ "$now" = master ]; then hand_over "$ME" "$ME" 127.0.0.1; continue; fi
  sleep 1
done
if [ -z "$primary" ] || [ "$primary" = "$ME" ]; then echo "no other member leads than $ME"; exit 1; fi
now=$(role "$primary" role) || now=
if [ "$now" != master ]; then echo "$primary does not answer as the primary"; exit 1; fi
# Its sentinel ends to vote and to watch first: it would let its server follow again.
tell "$ME" remove "$CLUSTER" >/dev/null 2>&1 || true
at "$ME" shutdown now >/dev/null 2>&1 || true
${isReplaced ? '' : 'for each in "${OTHERS[@]}"; do\n  now=$(field "$each" ip) || now=\n  if [ -n "$now" ]; then forget "$each"; fi\ndone'}`,
  irreversible: true,
});
