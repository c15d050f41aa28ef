/**
 * Returns the version of the software in a Debian package's version: `2.0.4` for `1:2.0.4+dfsg-1~deb12u1`. The tilde of
 * a pre-release stays: `2.0~rc1`.
 */
export function upstreamPart(version: string): string {
  const whole = version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
  // A package that returned to an older version has this form: `1.3+really1.2`.
  const really = /\+really(.+)$/.exec(whole)?.[1] ?? whole;
  return really.replace(/\+.*$/s, '').replace(/~(?:deb|bpo|ubuntu|dfsg|ds)[0-9.u]*$/, '');
}
