import { CopyButton, t } from '../../pages/kit/index.ts';

/** Shows a finding, and its remedy to copy. */
export function Remedied({ text, remedy }: { readonly text: string; readonly remedy: string | null }) {
  return (
    <span class="stack tight">
      <span class="wrap">{text}</span>
      {remedy !== null && (
        <span class="row nowrap">
          <code class="wrap">{remedy}</code>
          <CopyButton text={remedy} what={t('operations.remedy')} />
        </span>
      )}
    </span>
  );
}
