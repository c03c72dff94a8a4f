import { t, Time } from '../../pages/kit/index.ts';

/** A line of the log, `[time] User 'name' did something from IP address`: when and where from, apart from what was done. */
export function ActivityLine({ line }: { readonly line: string }) {
  const [, at = '', text = line, ip = ''] =
    /^\[([\d: -]+)\] (.*?)(?: from (?:IP (\S+)|the command line))?$/s.exec(line) ?? [];
  return (
    <li>
      <span class="small soft number">{at !== '' && <Time at={at} />}</span>
      <span class="wrap">{text.replace(/^User '[^']*' (.)/u, (_, first: string) => first.toUpperCase())}</span>
      <span class="small soft number wrap">{ip === '' ? t('profile.onServer') : ip}</span>
    </li>
  );
}
