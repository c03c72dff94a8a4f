/** Published host ports of an account's services. */
export interface PortsPart {
  phpmyadmin_port?: number;
  remote_mysql_port?: number;
  remote_ssh_port?: number;
  webterminal_port?: number;
}
