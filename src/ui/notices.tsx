// The messages in the corner, with their style sheets: a file of its own, since no page begins with one.
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

export const Notices = () => <Notifications position="bottom-right" limit={4} autoClose={5000} />;
