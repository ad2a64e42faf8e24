// The notifications in the corner, with their style sheets. Loaded late, because no page starts with one.
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

export const Notices = () => <Notifications position="bottom-right" limit={4} autoClose={5000} />;
