import { Answer, api, at, Card, t, useQuery } from '../../pages/kit/index.ts';
import { FavoriteLink, leadsSomewhere } from './favorite-link.tsx';

export default function FavoritesWidget() {
  const favorites = useQuery('favorites', (signal) => api('GET /api/favorites', { signal }));
  return (
    <Card title={t('profile.favorites')} end={<a href={at('/account')}>{t('profile.edit')}</a>}>
      <Answer of={favorites}>
        {(all) => {
          const list = all.filter(({ link }) => leadsSomewhere(link));
          return list.length === 0 ? (
            <p class="soft">{t('profile.noFavoritesAbout')}</p>
          ) : (
            <ul class="stack tight">
              {list.map((favorite) => (
                <li key={favorite.link}>
                  <FavoriteLink {...favorite} />
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Card>
  );
}
