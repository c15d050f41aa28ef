/**
 * The version of the software in a version of a Debian package: `2.0.4` of `1:2.0.4+dfsg-1~deb12u1`.
 * A tilde that marks a pre-release stays: `2.0~rc1`.
 */
export function upstreamPart(version: string): string {
  const whole = version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
  // A package that went back to an older version says so: `1.3+really1.2`.
  const really = /\+really(.+)$/.exec(whole)?.[1] ?? whole;
  return really.replace(/\+.*$/s, '').replace(/~(?:deb|bpo|ubuntu|dfsg|ds)[0-9.u]*$/, '');
}
