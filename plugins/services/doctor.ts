import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { ServiceVerbs } from './programs/service-verbs.ts';
import type { Recipe } from './recipes.ts';

/** Says which services this machine can run, and whether accounts have user ids to run them as. */
export async function findings(
  recipes: ReadonlyMap<string, Recipe>,
  verbs: Pick<ServiceVerbs, 'missing'>,
  firstId: number,
): Promise<Finding[]> {
  const services = [...recipes.values()].map(async ({ name, title }): Promise<Finding> => {
    const missing = await verbs.missing(name);
    if (missing === null) return { name, ok: true, detail: `${title} can be switched on` };
    return { name, ok: false, isWarning: true, ...missing };
  });
  if (firstId > 0) return Promise.all(services);
  const detail = 'services run as accounts, which have no user ids here';
  const lacking = { name: 'user ids', ok: false, isWarning: true, detail, remedy: 'set ids.first' };
  return [...(await Promise.all(services)), lacking];
}
