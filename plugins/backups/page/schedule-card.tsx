import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { api, attempt, Button, Card, changed, language, Select, t, Time, toast } from '../../pages/kit/index.ts';
import type { Schedule } from './replies.ts';

interface ScheduleCardProps {
  readonly schedule: Schedule;
  /** Backups that the plan keeps; 0 for any number. */
  readonly most: number;
  readonly children: ComponentChildren;
}

const WHEN = ['off', 'daily', 'weekly'] as const;
type When = (typeof WHEN)[number];
type Choice = Omit<Schedule, 'schedule'> & { readonly schedule: string };
const KEPT = [1, 2, 3, 5, 7, 10, 14, 21, 30, 60, 90];
/** A Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1);
const DAY_MS = 24 * 3_600_000;

export function ScheduleCard({ schedule: given, most, children }: ScheduleCardProps) {
  const change = useSignal<Partial<Choice>>({});
  const isByPlan = given.is_by_plan && change.value.schedule === undefined;
  const chosen = { ...given, ...(isByPlan && { schedule: 'plan' }), ...change.value };
  const { schedule, weekday, hour, kept, plan_schedule: planned, next_at: nextAt } = chosen;
  const when = schedule === 'plan' ? planned : schedule;
  const set = (next: Partial<Choice>) => void (change.value = { ...change.value, ...next });
  const save = async () => {
    await api('PATCH /api/backup-schedule', { body: { schedule: schedule as When | 'plan', weekday, hour, kept } });
    change.value = {};
    changed();
    toast(t('backups.wasSet'));
  };
  const weekdays = new Intl.DateTimeFormat(language.value, { weekday: 'long', timeZone: 'UTC' });
  const numbers = [...new Set([...KEPT, kept])].filter((n) => n > 0 && (most === 0 || n <= most || n === kept));
  return (
    <Card title={t('backups.schedule')}>
      <div class="stack">
        {children}
        <div class="row bottom">
          <Select
            label={t('backups.when')}
            value={schedule}
            of={[
              ['plan', t('backups.byPlan', { when: t(`backups.${planned as When}`) })] as const,
              ...WHEN.map((each) => [each, t(`backups.${each}`)] as const),
            ]}
            onChange={(value) => set({ schedule: value })}
          />
          {when === 'weekly' && (
            <Select
              label={t('backups.weekday')}
              value={String(weekday)}
              of={[0, 1, 2, 3, 4, 5, 6].map((day) => [String(day), weekdays.format(SUNDAY + day * DAY_MS)] as const)}
              onChange={(value) => set({ weekday: Number(value) })}
            />
          )}
          {when !== 'off' && (
            <Select
              label={t('backups.hour')}
              value={String(hour)}
              of={Array.from(
                { length: 24 },
                (_, each) => [String(each), `${String(each).padStart(2, '0')}:00`] as const,
              )}
              onChange={(value) => set({ hour: Number(value) })}
            />
          )}
          <Select
            label={t('backups.kept')}
            value={String(kept)}
            of={[
              ['0', most === 0 ? t('backups.keptAll') : t('backups.keptByPlan', { n: most })] as const,
              ...numbers.toSorted((a, b) => a - b).map((n) => [String(n), String(n)] as const),
            ]}
            onChange={(value) => set({ kept: Number(value) })}
          />
          <Button isDisabled={Object.keys(change.value).length === 0} onClick={() => attempt(save)}>
            {t('backups.save')}
          </Button>
        </div>
        <p class="small soft">
          {isByPlan && `${t('backups.isByPlan')} `}
          {nextAt === null ? (
            t('backups.noNext')
          ) : (
            <>
              {t('backups.next')} <Time at={nextAt} />
            </>
          )}
        </p>
      </div>
    </Card>
  );
}
