import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  changed,
  Dialog,
  Empty,
  Field,
  t,
  toast,
  toastError,
  useQuery,
} from '../../pages/kit/index.ts';
import { FavoriteLink } from './favorite-link.tsx';

export function FavoritesCard() {
  const favorites = useQuery('favorites', (signal) => api('GET /api/favorites', { signal }));
  const isAdding = useSignal(false);
  const remove = async (favorite: { readonly link: string; readonly title: string }) => {
    try {
      favorites.set(await api('DELETE /api/favorites', { body: { link: favorite.link } }));
      toast(t('account.favoriteRemoved', { name: favorite.title }), async () => {
        favorites.set(await api('PUT /api/favorites', { body: favorite }));
      });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Card
      title={t('account.favorites')}
      end={
        <Button isSmall icon="plus" onClick={() => void (isAdding.value = true)}>
          {t('account.addFavorite')}
        </Button>
      }
    >
      <Answer of={favorites}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="star" title={t('account.noFavorites')}>
              {t('account.noFavoritesAbout')}
            </Empty>
          ) : (
            <ul class="stack tight">
              {list.map((favorite) => (
                <li key={favorite.link} class="row apart nowrap">
                  <FavoriteLink {...favorite} />
                  <Button
                    kind="plain"
                    isSmall
                    isBad
                    icon="trash"
                    label={t('account.removeFavorite', { name: favorite.title })}
                    onClick={() => remove(favorite)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      {isAdding.value && <AddFavorite onClose={() => void (isAdding.value = false)} />}
    </Card>
  );
}

function AddFavorite({ onClose }: { readonly onClose: () => void }) {
  const [title, link] = [useSignal(''), useSignal('')];
  const add = async () => {
    await api('PUT /api/favorites', { body: { title: title.value.trim(), link: link.value.trim() } });
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('account.addFavorite')}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('pages.save'), isDisabled: title.value.trim() === '' || link.value.trim() === '' }}
    >
      <Field
        label={t('account.favoriteTitle')}
        value={title.value}
        onChange={(text) => (title.value = text)}
        maxLength={255}
        autoFocus
      />
      <Field
        label={t('account.favoriteLink')}
        hint={t('account.favoriteLinkHint')}
        value={link.value}
        onChange={(text) => (link.value = text)}
        inputMode="url"
        maxLength={2048}
        spellcheck={false}
      />
    </Dialog>
  );
}
