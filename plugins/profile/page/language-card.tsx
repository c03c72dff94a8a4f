import {
  Answer,
  api,
  attempt,
  Card,
  Choices,
  language,
  LANGUAGES,
  t,
  useLanguage,
  useQuery,
} from '../../pages/kit/index.ts';

/** The language of the account, in which the server writes too; the page follows it. */
export default function LanguageCard() {
  const languages = useQuery('languages', (signal) => api('GET /api/account/language', { signal }));
  const choose = (locale: string) =>
    attempt(async () => {
      languages.set(await api('PUT /api/account/language', { body: { locale } }));
      await useLanguage(locale, true);
    });
  const nameOf = (locale: string) => new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
  return (
    <Card title={t('profile.language')}>
      <Answer of={languages} lines={1}>
        {({ locales, current }) => (
          <div class="stack">
            <p class="soft">{t('profile.languageAbout')}</p>
            <Choices
              label={t('profile.language')}
              value={current}
              of={locales.map((locale) => [locale, nameOf(locale)] as const)}
              onChange={choose}
            />
            {!LANGUAGES.includes(current) && (
              <p class="small soft">{t('profile.languageMissing', { name: language.value })}</p>
            )}
          </div>
        )}
      </Answer>
    </Card>
  );
}
