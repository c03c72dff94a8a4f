const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const;
const LONGEST = 60;

/** Returns browser and system of a user agent, or what it says of itself. */
export function describeDevice(agent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((list) => list.find(([pattern]) => pattern.test(agent))?.[1]);
  const known = [browser, system].filter((each) => each !== undefined).join(' · ');
  return known === '' ? (agent === '' ? '–' : agent.slice(0, LONGEST)) : known;
}
