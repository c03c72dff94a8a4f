import type { Finding } from '../../kernel/contract/points/finding.ts';
import { missingProgram, findProgram, type Recipe } from './recipes.ts';

/** Says which services this machine can run, and whether accounts have user ids to run them as. */
export function findings(recipes: ReadonlyMap<string, Recipe>, firstId: number): Finding[] {
  const programs = [...recipes.values()].map((recipe): Finding => {
    const program = findProgram(recipe);
    if (program !== undefined) return { name: recipe.name, ok: true, detail: `${recipe.title} is ${program}` };
    const remedy = `apt-get install ${recipe.run.package}`;
    return { name: recipe.name, ok: false, isWarning: true, detail: missingProgram(recipe), remedy };
  });
  if (firstId > 0) return programs;
  const detail = 'services run as accounts, which have no user ids here';
  return [...programs, { name: 'user ids', ok: false, isWarning: true, detail, remedy: 'set ids.first' }];
}
