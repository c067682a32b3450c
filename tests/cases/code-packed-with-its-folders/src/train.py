from model import net
